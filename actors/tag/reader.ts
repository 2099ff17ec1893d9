import type { TagJson } from '../representation.ts';
import { uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import { tagJson } from './representation.ts';
import { tags } from './tables.ts';

export interface TagReader {
  /** All that are not deleted, in the order in which they were made. */
  list(): TagJson[];
}

export function tagReader(db: Connection): TagReader {
  const present = tags.query(db, 'WHERE deleted = 0 ORDER BY created_at, key');
  return { list: () => present.all().map(tagJson) };
}

/** Whether a tag is there, and not deleted. */
export function tagLookup(db: Connection): (id: string) => boolean {
  const present = db.prepare('SELECT 1 FROM tag WHERE id = ? AND deleted = 0').pluck();
  return (id) => present.get(uuidToBytes(id)) === 1;
}
