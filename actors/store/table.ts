import { uuidFromBytes } from '../uuid.ts';
import type { Connection, Statement } from './database.ts';
import { placeOf, sealOf } from './seal.ts';

/** What a column holds in a change record: JSON. */
export type Value = string | number | null;
export type Row = Record<string, Value>;

/**
 * One row change. A list of them is the self-contained content of a change record. `cut` deletes every key from `from`
 * up to, and without, `to`.
 */
export type Change =
  | { table: string; op: 'insert'; row: Row }
  | { table: string; op: 'update'; key: number; row: Row }
  | { table: string; op: 'delete'; key: number }
  | { table: string; op: 'cut'; from: number; to: number };

/** What a change writes, in bytes: its text, nearly. Numbers and keys are small. */
export function writtenBytes(change: Change): number {
  if (!('row' in change)) return 0;
  let bytes = 0;
  for (const column in change.row) {
    const value = change.row[column];
    if (typeof value === 'string') bytes += value.length;
  }
  return bytes;
}

/** A table as the store sees it, whatever its rows are. */
export interface TableShape {
  readonly name: string;
  /** Columns that hold a UUID: text in a change, a 16-byte BLOB in the file. */
  readonly uuids: readonly string[];
  /** Columns that are encrypted in the file. */
  readonly secrets: readonly string[];
}

/** A prepared `SELECT * FROM <table> …` whose rows come back with their UUID columns as text, and their secrets open. */
export interface RowQuery<R> {
  get(...parameters: unknown[]): R | null;
  all(...parameters: unknown[]): R[];
  /** Row after row, as they are asked for: for those that may be large together. */
  iterate(...parameters: unknown[]): Iterable<R>;
}

/** A table with an integer `key`, and the type of its rows. */
export class Table<R extends object> implements TableShape {
  readonly name: string;
  readonly uuids: readonly (keyof R & string)[];
  readonly secrets: readonly (keyof R & string)[];

  constructor(name: string, uuids: readonly (keyof R & string)[] = [], secrets: readonly (keyof R & string)[] = []) {
    this.name = name;
    this.uuids = uuids;
    this.secrets = secrets;
  }

  insert(row: R): Change {
    return { table: this.name, op: 'insert', row: row as Row };
  }

  update(key: number, columns: Partial<R>): Change {
    return { table: this.name, op: 'update', key, row: columns as Row };
  }

  remove(key: number): Change {
    return { table: this.name, op: 'delete', key };
  }

  cut(from: number, to: number): Change {
    return { table: this.name, op: 'cut', from, to };
  }

  /** Whether a change is one of this table. */
  is(change: Change): boolean {
    return change.table === this.name;
  }

  /** Prepares a query for whole rows. `tail` is what follows `FROM <table>`. */
  query(db: Connection, tail: string): RowQuery<R> {
    const statement: Statement = db.prepare(`SELECT * FROM ${this.name} ${tail}`);
    const { name, uuids, secrets } = this;
    const seal = secrets.length === 0 ? null : sealOf(db);
    const decoded = (raw: unknown): R => {
      const row = raw as Record<string, unknown>;
      for (const column of uuids) {
        const bytes = row[column];
        if (bytes !== null) row[column] = uuidFromBytes(bytes as Uint8Array);
      }
      if (seal !== null) {
        for (const column of secrets) {
          const closed = row[column];
          if (closed !== null) row[column] = seal.open(closed as string, placeOf(name, column, row['key'] as number));
        }
      }
      return row as R;
    };
    return {
      get(...parameters) {
        const raw = statement.get(...parameters);
        return raw === undefined ? null : decoded(raw);
      },
      all: (...parameters) => statement.all(...parameters).map(decoded),
      *iterate(...parameters) {
        for (const raw of statement.iterate(...parameters)) yield decoded(raw);
      },
    };
  }
}

/** Keys of a shard lie between `shard * keysPerShard` and the next shard's first. */
export const keysPerShard = 2 ** 40;

export const shardOfKey = (key: number): number => Math.floor(key / keysPerShard);
