import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Connection, openForWriting } from './database.ts';

/** A platform's update as it came. */
export interface RawUpdate {
  key: number;
  /** When it came, epoch ms. */
  at: number;
  /** The path at which. */
  route: string;
  body: string;
}

/** An update that is kept. `subjects`: texts that it can be found by. */
export interface KeptUpdate {
  route: string;
  body: string;
  /** Whether its connector knew its shape. */
  understood: boolean;
  subjects: readonly string[];
}

const schema = [
  `CREATE TABLE raw_update (
     key INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     route TEXT NOT NULL,
     body TEXT NOT NULL,
     understood INTEGER,
     waiting INTEGER NOT NULL
   );
   CREATE INDEX raw_update_waiting ON raw_update (key) WHERE waiting = 1;
   CREATE INDEX raw_update_at ON raw_update (at);
   CREATE TABLE raw_subject (subject TEXT NOT NULL, raw INTEGER NOT NULL, PRIMARY KEY (subject, raw)) WITHOUT ROWID;
   CREATE INDEX raw_subject_raw ON raw_subject (raw);`,
];
/** The library's own bound: nobody waits for a commit of this file for long. */
const checkpointPages = 1_000;
const mostShown = 100;
const prunedAtOnce = 1_000;

/**
 * What platforms sent, as it came, in a file of its own beside the hub's: copies of what was taken in, for people who look
 * for a reason, and what could not be taken in yet. The hub's own file knows nothing of it, so that it can be lost or
 * emptied without harm, but for what waits.
 */
export class RawUpdates {
  readonly #file: string;
  /** Null: nothing was ever kept. */
  #opened: Connection | null = null;
  #waiting = 0;

  /** @param file the hub's @throws Error when there is a file that is no database, or of a newer program */
  constructor(file: string) {
    this.#file = join(dirname(file), 'raw.db');
    if (existsSync(this.#file)) {
      this.#waiting = this.#db.prepare('SELECT count(*) FROM raw_update WHERE waiting = 1').pluck().get() as number;
    }
  }

  get #db(): Connection {
    if (this.#opened === null) {
      this.#opened = openForWriting(this.#file, 'normal', schema);
      this.#opened.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    }
    return this.#opened;
  }

  /** How many updates wait to be taken in. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Keeps copies of what was taken in. A power cut may lose the newest. */
  keep(updates: readonly KeptUpdate[], at: number): void {
    const insert = this.#db.prepare(
      'INSERT INTO raw_update (at, route, body, understood, waiting) VALUES (?, ?, ?, ?, 0)',
    );
    this.#db.transaction(() => {
      for (const update of updates) {
        const { lastInsertRowid } = insert.run(at, update.route, update.body, update.understood ? 1 : 0);
        this.#name(lastInsertRowid, update.subjects);
      }
    })();
  }

  /** Keeps what could not be taken in yet. Durable when it returns. */
  spool(updates: readonly Pick<RawUpdate, 'route' | 'body'>[], at: number): void {
    const insert = this.#db.prepare('INSERT INTO raw_update (at, route, body, waiting) VALUES (?, ?, ?, 1)');
    this.#db.pragma('synchronous = FULL');
    try {
      this.#db.transaction(() => {
        for (const { route, body } of updates) insert.run(at, route, body);
      })();
    } finally {
      this.#db.pragma('synchronous = NORMAL');
    }
    this.#waiting += updates.length;
  }

  /** What waits, oldest first. */
  oldestWaiting(limit: number): RawUpdate[] {
    const waiting = this.#db.prepare(
      'SELECT key, at, route, body FROM raw_update WHERE waiting = 1 ORDER BY key LIMIT ?',
    );
    return waiting.all(limit) as RawUpdate[];
  }

  /** What waited was taken in. */
  taken(updates: readonly (Pick<RawUpdate, 'key'> & Pick<KeptUpdate, 'understood' | 'subjects'>)[]): void {
    const update = this.#db.prepare('UPDATE raw_update SET waiting = 0, understood = ? WHERE key = ? AND waiting = 1');
    let changed = 0;
    this.#db.transaction(() => {
      for (const { key, understood, subjects } of updates) {
        changed += update.run(understood ? 1 : 0, key).changes;
        this.#name(key, subjects);
      }
    })();
    this.#waiting -= changed;
  }

  /** The newest updates that can be found by any of the subjects, oldest first. */
  about(subjects: readonly string[]): RawUpdate[] {
    if (!existsSync(this.#file)) return [];
    const found = this.#db.prepare(
      `SELECT DISTINCT key, at, route, body FROM raw_subject JOIN raw_update ON key = raw
       WHERE subject IN (SELECT value FROM json_each(?)) ORDER BY key DESC LIMIT ${mostShown}`,
    );
    return (found.all(JSON.stringify(subjects)) as RawUpdate[]).reverse();
  }

  /** Forgets what came before a time and can be found by a subject: nothing of it is left. @returns how many updates */
  forget(subject: string, before: number): number {
    if (!existsSync(this.#file)) return 0;
    const gone = this.#db
      .prepare('SELECT key FROM raw_subject JOIN raw_update ON key = raw WHERE subject = ? AND at <= ?')
      .pluck()
      .all(subject, before) as number[];
    if (gone.length === 0) return 0;
    this.#remove(gone);
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
    return gone.length;
  }

  /** Forgets some of what came before a time and does not wait. @returns whether there is more of it */
  prune(before: number): boolean {
    if (!existsSync(this.#file)) return false;
    const old = this.#db
      .prepare(`SELECT key FROM raw_update WHERE at < ? AND waiting = 0 ORDER BY at LIMIT ${prunedAtOnce}`)
      .pluck()
      .all(before) as number[];
    this.#remove(old);
    return old.length === prunedAtOnce;
  }

  close(): void {
    this.#opened?.close();
  }

  #remove(keys: readonly number[]): void {
    const subjects = this.#db.prepare('DELETE FROM raw_subject WHERE raw = ?');
    const updates = this.#db.prepare('DELETE FROM raw_update WHERE key = ?');
    this.#db.transaction(() => {
      for (const key of keys) {
        subjects.run(key);
        updates.run(key);
      }
    })();
  }

  #name(key: number | bigint, subjects: readonly string[]): void {
    const insert = this.#db.prepare('INSERT OR IGNORE INTO raw_subject (subject, raw) VALUES (?, ?)');
    for (const subject of subjects) insert.run(subject, key);
  }
}
