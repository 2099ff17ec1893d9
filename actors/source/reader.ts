import type { Connection } from '../store/database.ts';
import type { SourceReader } from '../store/reader.ts';
import { rowQuery } from '../store/rows.ts';
import { sourceJson } from './representation.ts';

export function sourceReader(db: Connection): SourceReader {
  const byId = rowQuery(db, 'source', 'WHERE source_id = ? AND deleted = 0');
  const list = rowQuery(db, 'source', 'WHERE deleted = 0 ORDER BY source_id');
  return {
    find(sourceId) {
      const row = byId.get(sourceId);
      return row === null ? null : { source: sourceJson(row), issuedAt: row.issued_at };
    },
    list: () => list.all().map(sourceJson),
  };
}
