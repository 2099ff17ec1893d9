import { uuidFromBytes } from '../uuid.ts';
import type { Connection, Statement } from './database.ts';
import { type Rows, type TableName, uuidColumns } from './tables.ts';

/** A prepared `SELECT * FROM <table> …` whose rows come back with their UUID columns as text. */
export interface RowQuery<T extends TableName> {
  get(...parameters: unknown[]): Rows[T] | null;
  all(...parameters: unknown[]): Rows[T][];
}

/** Prepares a query for whole rows of a table. `tail` is what follows `FROM <table>`. */
export function rowQuery<T extends TableName>(db: Connection, table: T, tail: string): RowQuery<T> {
  const statement: Statement = db.prepare(`SELECT * FROM ${table} ${tail}`);
  const uuids = uuidColumns[table] ?? [];
  const decoded = (raw: unknown): Rows[T] => {
    const row = raw as Record<string, unknown>;
    for (const column of uuids) row[column] = uuidFromBytes(row[column] as Uint8Array);
    return row as Rows[T];
  };
  return {
    get(...parameters) {
      const raw = statement.get(...parameters);
      return raw === undefined ? null : decoded(raw);
    },
    all: (...parameters) => statement.all(...parameters).map(decoded),
  };
}
