import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { migrations as released } from './migrations/index.ts';

/** The SQLite handle. It stays below `actors/store`: everyone else is lent readers and transactions. */
export type Connection = Database.Database;
export type Statement = Database.Statement<unknown[]>;

export type Durability = 'full' | 'normal';

/** SQLite 3.7.0 to 3.51.2 can corrupt a WAL file when a checkpoint meets a reset. */
const oldestSafeSqlite = [3, 51, 3] as const;

/** More than a batch changes; the system's own cache of the file does the rest: a larger one is no faster. */
const pageCacheKiB = 32 * 1024;
const movingCacheKiB = 64;
const mappedBytes = 1024 * 1024 * 1024;
/** What the write-ahead log's file is cut to when it is started anew: more than it holds without long readers. */
const logFileBytes = 32 * 1024 * 1024;

function assertSafeSqlite(db: Connection): void {
  const version = db.prepare('SELECT sqlite_version()').pluck().get() as string;
  const parts = version.split('.').map(Number);
  for (const [i, wanted] of oldestSafeSqlite.entries()) {
    const part = parts[i] ?? 0;
    if (part > wanted) return;
    if (part < wanted) {
      throw new Error(`SQLite ${version} can corrupt write-ahead logs. Use a build with 3.51.3 or newer.`);
    }
  }
}

function migrate(db: Connection, file: string, migrations: readonly string[]): void {
  const stored = db.pragma('user_version', { simple: true }) as number;
  if (stored > migrations.length) {
    throw new Error(
      `${file} has schema version ${stored}, this program knows ${migrations.length}. Start the newer program again.`,
    );
  }
  for (let version = stored; version < migrations.length; version++) {
    db.transaction(() => {
      db.exec(migrations[version]!);
      db.pragma(`user_version = ${version + 1}`);
    })();
  }
}

/** @throws Error for a file of an older program: the tables of this one are not all there until its hub has started */
export function assertNotOlder(db: Connection, file: string): void {
  const stored = db.pragma('user_version', { simple: true }) as number;
  if (stored >= released.length) return;
  throw new Error(
    `${file} has schema version ${stored}, this program reads ${released.length}. Start the hub once: it migrates the file.`,
  );
}

/**
 * Opens the file for its one writer, creating and migrating it. `full`: a commit is on the disk when it returns.
 * @throws Error when the file is newer than the program, locked by another writer, or no database
 */
export function openForWriting(
  file: string,
  durability: Durability,
  migrations: readonly string[] = released,
): Connection {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = new Database(file, { timeout: 5000 });
  assertSafeSqlite(db);
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  db.pragma(`cache_size = -${pageCacheKiB}`);
  // `Checkpoints` says when: an automatic checkpoint would run inside a commit.
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`journal_size_limit = ${logFileBytes}`);
  db.pragma('foreign_keys = OFF');
  // What is erased leaves no trace in pages that were freed.
  db.pragma('secure_delete = ON');
  migrate(db, file, migrations);
  return db;
}

/**
 * Opens an existing file to move its write-ahead log, beside its writer. It waits for nobody: what is locked is left.
 * Its checkpoints force nothing to the disk in vain, and it keeps no pages.
 */
export function openForMoving(file: string): Connection {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  db.pragma('synchronous = NORMAL');
  db.pragma(`cache_size = -${movingCacheKiB}`);
  db.pragma('wal_autocheckpoint = 0');
  return db;
}

/**
 * Opens an existing file read-only. Each read sees the newest commit. A query that mentions `running(<column>)`, which
 * is 1, ends with an error at the next row once `running` says no: the driver can interrupt none by itself.
 */
export function openForReading(file: string, running: () => boolean = () => true): Connection {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  db.function('running', (_column) => {
    if (!running()) throw new Error('The query was cut.');
    return 1;
  });
  db.pragma(`mmap_size = ${mappedBytes}`);
  return db;
}

/**
 * Opens a file of which everything can be made again, creating it. What is committed there may be lost with the power.
 * What is removed leaves no trace.
 */
export function openDerived(file: string): Connection {
  const db = new Database(file, { timeout: 5000 });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('secure_delete = ON');
    db.pragma(`journal_size_limit = ${logFileBytes}`);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Removes such a file, closed. */
export function discardDerived(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}
