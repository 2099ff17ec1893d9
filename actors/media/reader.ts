import { mediaActorId } from '../ids.ts';
import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import type { MediaFacts } from './contract.ts';
import { media } from './tables.ts';

export interface MediaReader {
  /** @param sha256 of the content, lower-case hexadecimal */
  find(sha256: string): MediaFacts | null;
}

export function mediaReader(db: Connection): MediaReader {
  const byId = media.query(db, 'WHERE id = ?');
  return {
    find(sha256) {
      const row = byId.get(uuidToBytes(mediaActorId(sha256)));
      return row === null ? null : { sha256, bytes: row.bytes, type: row.type, name: row.name };
    },
  };
}
