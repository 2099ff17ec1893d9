import type { EventSubject, EventType } from '../representation.ts';
import type { AnyKind } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { uuidFromBytes } from '../uuid.ts';
import type { EventRenderer, Renderer } from './turn.ts';

interface RendererOfKind {
  idOf(key: number): string;
  renderers: Partial<Record<EventType, EventRenderer>>;
}

/** Ids of actors that are remembered: they never change. */
const remembered = 10_000;

/** Makes payloads of what turns kept of their events. */
export function rendererOf(db: Connection, kinds: readonly AnyKind[]): Renderer {
  const byKind = new Map<string, RendererOfKind>(
    kinds.map((kind) => [kind.name, { idOf: idsOf(db, kind), renderers: kind.renderers?.(db) ?? {} }]),
  );
  return (name, key, { type, data }) => {
    const { idOf, renderers } = byKind.get(name)!;
    const id = idOf(key);
    const render = renderers[type];
    const subject = { type: name as EventSubject['type'], id };
    return { payload: render === undefined ? JSON.stringify(data) : render(data, { key, id }), subject };
  };
}

function idsOf(db: Connection, { table }: AnyKind): (key: number) => string {
  const statement = db.prepare(`SELECT id FROM ${table.name} WHERE key = ?`).pluck();
  const known = new Map<number, string>();
  return (key) => {
    let id = known.get(key);
    if (id === undefined) {
      const bytes = statement.get(key) as Uint8Array | undefined;
      id = bytes === undefined ? '' : uuidFromBytes(bytes);
      if (known.size >= remembered) known.clear();
      known.set(key, id);
    }
    return id;
  };
}
