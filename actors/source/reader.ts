import type { Connection } from '../store/database.ts';
import type { SourceJson } from '../representation.ts';
import { sourceJson } from './representation.ts';
import { sources } from './tables.ts';

export interface SourceReader {
  /** Null for unknown and deleted sources. `issuedAt`: epoch seconds, the `iat` of its one valid token. */
  find(sourceId: string): { source: SourceJson; issuedAt: number } | null;
  list(): SourceJson[];
}

export function sourceReader(db: Connection): SourceReader {
  const byId = sources.query(db, 'WHERE source_id = ? AND deleted = 0');
  const list = sources.query(db, 'WHERE deleted = 0 ORDER BY source_id');
  return {
    find(sourceId) {
      const row = byId.get(sourceId);
      return row === null ? null : { source: sourceJson(row), issuedAt: row.issued_at };
    },
    list: () => list.all().map(sourceJson),
  };
}
