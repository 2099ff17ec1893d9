import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/**
 * Makes sure that one hub at a time works in a data folder. The lock is the operating system's, held through an open
 * transaction on a file of its own: it goes with the process, however that ends.
 * @throws Error when another hub holds it
 */
export function lockInstance(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db = new Database(join(folder, 'hub.lock'), { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new Error(`Another hub works in ${folder}. Stop it first, or give this one a data.dir of its own.`);
  }
  return () => db.close();
}
