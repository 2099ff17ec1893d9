import type { EventRenderer } from '../journal/turn.ts';
import type { Connection } from '../store/database.ts';
import { uuidFromBytes } from '../uuid.ts';

/** `contact.updated` keeps the key of the version that it tells of: what is erased there is gone from the event. */
export function contactRenderers(db: Connection): Record<'contact.updated', EventRenderer> {
  const shown = db.prepare('SELECT shown FROM contact_version WHERE key = ?').pluck();
  const idOf = db.prepare('SELECT id FROM contact WHERE key = ?').pluck();
  return {
    'contact.updated'(data, { key }) {
      const text = shown.get((data as { v: number }).v) as string | undefined;
      // Versions and events are pruned in rounds of their own.
      return text ?? JSON.stringify({ id: uuidFromBytes(idOf.get(key) as Uint8Array) });
    },
  };
}
