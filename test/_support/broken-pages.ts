import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Breaks every page of some tables and indexes in a file, as a bad disk does: what was there is gone.
 * @returns brings it back
 */
export function breakPages(file: string, ...names: string[]): () => void {
  const places = pagesOf(file, names);
  const descriptor = openSync(file, 'r+');
  const kept = places.map(({ offset, length }) => {
    const page = Buffer.alloc(length);
    readSync(descriptor, page, 0, length, offset);
    writeSync(descriptor, Buffer.alloc(length, 0xff), 0, length, offset);
    return { page, offset };
  });
  return () => {
    for (const { page, offset } of kept) writeSync(descriptor, page, 0, page.length, offset);
    closeSync(descriptor);
  };
}

/** Moves the write-ahead log into the file: then the pages stand where they are read. */
function pagesOf(file: string, names: string[]): { offset: number; length: number }[] {
  const db = new Database(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const length = db.pragma('page_size', { simple: true }) as number;
  const wanted = names.map(() => '?').join();
  const numbers = db
    .prepare(`SELECT rootpage FROM sqlite_schema WHERE name IN (${wanted})`)
    .pluck()
    .all(...names) as number[];
  db.close();
  return numbers.map((number) => ({ offset: (number - 1) * length, length }));
}
