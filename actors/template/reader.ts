import { jsonText } from '../json.ts';
import type { TemplateJson } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { uuidToBytes } from '../uuid.ts';
import { templateJson } from './representation.ts';
import { type TemplateRow, templates } from './tables.ts';

export interface TemplateReader {
  find(id: string): TemplateJson | null;
  /** A page of those of a source, the oldest first; `name`: a part of their names, in any case. */
  page(query: PageQuery, source: string, name?: string): Page<TemplateJson>;
}

export function templateReader(db: Connection): TemplateReader {
  const byId = templates.query(db, 'WHERE id = ? AND deleted = 0');
  const after = templates.query(
    db,
    'WHERE source = ? AND deleted = 0 AND (created_at, key) > (?, ?) ORDER BY created_at, key',
  );
  const before = templates.query(
    db,
    'WHERE source = ? AND deleted = 0 AND (created_at, key) < (?, ?) ORDER BY created_at DESC, key DESC',
  );
  const names = db.prepare('SELECT name FROM template WHERE source = ? AND deleted = 0').pluck();
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : templateJson(row);
    },
    page(query, source, name = '') {
      const part = name.toLowerCase();
      const fits = (text: string): boolean => text.toLowerCase().includes(part);
      // What is read beyond the page is not: rows come one by one.
      function* found(rows: Iterable<TemplateRow>): Iterable<TemplateRow> {
        for (const row of rows) if (fits(row.name)) yield row;
      }
      return pageOf(
        query,
        (from, backwards) => found((backwards ? before : after).iterate(source, from?.[0] ?? 0, from?.[1] ?? -1)),
        ({ created_at, key }) => [created_at, key],
        (row) => jsonText(templateJson(row)),
        (names.all(source) as string[]).filter(fits).length,
      );
    },
  };
}
