import { parseJson } from '../json.ts';
import type { JsonObject } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import { contactImportParts, contactImports } from './tables.ts';

export interface ContactImportReader {
  /** Whether all contacts of an import are there. */
  isDone(id: string): boolean;
  /** An import by its key: its id, and what is said of each contact, part by part. */
  find(key: number): { id: string; parts: Iterable<JsonObject[]> } | null;
}

export function contactImportReader(db: Connection): ContactImportReader {
  const done = db.prepare(`SELECT value = '"done"' FROM contact_import WHERE id = ?`).pluck();
  const byKey = contactImports.query(db, 'WHERE key = ?');
  const parts = contactImportParts.query(db, 'WHERE actor = ? ORDER BY number');
  return {
    isDone: (id) => done.get(uuidToBytes(id)) === 1,
    find(key) {
      const row = byKey.get(key);
      if (row === null) return null;
      return { id: row.id, parts: parts.all(key).map(({ contacts }) => parseJson(contacts) as JsonObject[]) };
    },
  };
}
