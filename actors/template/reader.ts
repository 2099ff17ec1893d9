import type { TemplateJson } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import { templateJson } from './representation.ts';
import { templates } from './tables.ts';

export interface TemplateReader {
  find(id: string): TemplateJson | null;
  /** Those of a source, in the order in which they were made; `name`: a part of their names, in any case. */
  list(source: string, name?: string): TemplateJson[];
}

export function templateReader(db: Connection): TemplateReader {
  const byId = templates.query(db, 'WHERE id = ? AND deleted = 0');
  const ofSource = templates.query(db, 'WHERE source = ? AND deleted = 0 ORDER BY created_at, key');
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : templateJson(row);
    },
    list(source, name = '') {
      const part = name.toLowerCase();
      return ofSource
        .all(source)
        .filter((row) => row.name.toLowerCase().includes(part))
        .map(templateJson);
    },
  };
}
