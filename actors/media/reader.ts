import { mediaActorId } from '../ids.ts';
import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import type { MediaFacts } from './contract.ts';
import { media } from './tables.ts';

export interface MediaReader {
  /** @param sha256 of the content, lower-case hexadecimal */
  find(sha256: string): MediaFacts | null;
  /** The file of an actor by its key: also one that was erased. */
  byKey(key: number): { id: string; sha256: string } | null;
  /** Whether anything that is kept shows a file. Reads all contacts and conversations, so not on a thread that others need. */
  isShown(sha256: string): boolean;
}

export function mediaReader(db: Connection): MediaReader {
  const byId = media.query(db, 'WHERE id = ?');
  const byKey = media.query(db, 'WHERE key = ?');
  const inMessage = db.prepare('SELECT EXISTS (SELECT 1 FROM message_media WHERE media = ?)').pluck();
  const elsewhere = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM contact_version WHERE sort IS NOT NULL AND instr(shown, @sha256))
         OR EXISTS (SELECT 1 FROM conversation WHERE instr(metadata, @sha256))
         OR EXISTS (SELECT 1 FROM contact_merge WHERE instr(shown, @sha256))
         OR EXISTS (SELECT 1 FROM contact_import_part WHERE instr(contacts, @sha256))
         OR EXISTS (SELECT 1 FROM parked_send WHERE instr(content, @sha256))
         OR EXISTS (SELECT 1 FROM parked_echo WHERE instr(content, @sha256))
         OR EXISTS (SELECT 1 FROM parked_metadata WHERE instr(said, @sha256))
         OR EXISTS (SELECT 1 FROM template WHERE instr(content, @sha256))
         OR EXISTS (SELECT 1 FROM channel WHERE instr(metadata, @sha256))
         OR EXISTS (SELECT 1 FROM source WHERE instr(image_url, @sha256))`,
    )
    .pluck();
  return {
    find(sha256) {
      const row = byId.get(uuidToBytes(mediaActorId(sha256)));
      if (row === null || row.erased === 1) return null;
      return { sha256, bytes: row.bytes, type: row.type, name: row.name };
    },
    byKey(key) {
      const row = byKey.get(key);
      return row === null ? null : { id: row.id, sha256: row.sha256 };
    },
    isShown: (sha256) => inMessage.get(uuidToBytes(mediaActorId(sha256))) === 1 || elsewhere.get({ sha256 }) === 1,
  };
}
