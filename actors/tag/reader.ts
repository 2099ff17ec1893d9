import { jsonText } from '../json.ts';
import type { TagJson } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import { tagJson } from './representation.ts';
import { tags } from './tables.ts';

export interface TagReader {
  /** A page of those that are not deleted, the oldest first. */
  page(query: PageQuery): Page<TagJson>;
  /** Of all that are not deleted. */
  ids(): string[];
}

export function tagReader(db: Connection): TagReader {
  const after = tags.query(db, 'WHERE deleted = 0 AND (created_at, key) > (?, ?) ORDER BY created_at, key LIMIT ?');
  const before = tags.query(
    db,
    'WHERE deleted = 0 AND (created_at, key) < (?, ?) ORDER BY created_at DESC, key DESC LIMIT ?',
  );
  const counted = db.prepare('SELECT count(*) FROM tag WHERE deleted = 0').pluck();
  const ids = db.prepare('SELECT id FROM tag WHERE deleted = 0').pluck();
  return {
    page: (query) =>
      pageOf(
        query,
        (from, backwards, limit) => (backwards ? before : after).iterate(from?.[0] ?? 0, from?.[1] ?? -1, limit),
        ({ created_at, key }) => [created_at, key],
        (row) => jsonText(tagJson(row)),
        counted.get() as number,
      ),
    ids: () => (ids.all() as Uint8Array[]).map(uuidFromBytes),
  };
}

/** Whether a tag is there, and not deleted. */
export function tagLookup(db: Connection): (id: string) => boolean {
  const present = db.prepare('SELECT 1 FROM tag WHERE id = ? AND deleted = 0').pluck();
  return (id) => present.get(uuidToBytes(id)) === 1;
}
