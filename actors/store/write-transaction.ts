import { uuidToBytes } from '../uuid.ts';
import type { Connection, Statement } from './database.ts';
import { type Change, keyColumn, type TableName, uuidColumns } from './tables.ts';

type Value = string | number | null;
type Row = Record<string, Value>;

interface Prepared {
  statement: Statement;
  columns: string[];
  isUuid: boolean[];
}

/**
 * The only way rows change. One transaction is open at a time; `apply` may be called many times in it, and reads on
 * the same connection see what was applied.
 */
export class WriteTransactions {
  readonly #db: Connection;
  readonly #prepared = new Map<string, Prepared>();
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;

  constructor(db: Connection) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
  }

  begin(): void {
    this.#begin.run();
  }

  /** @throws SqliteError a constraint: a defect of the caller; or I/O, then the batch must be rolled back */
  apply(change: Change): void {
    switch (change.op) {
      case 'insert': {
        this.#run(this.#insert(change.table, change.row as Row), change.row as Row, []);
        return;
      }
      case 'update': {
        const prepared = this.#update(change.table, change.row as Row);
        this.#run(prepared, change.row as Row, [change.key]);
        return;
      }
      case 'delete':
        this.#delete(change.table).statement.run(change.key);
    }
  }

  /** The durable point. */
  commit(): void {
    this.#commit.run();
  }

  rollback(): void {
    if (this.#db.inTransaction) this.#rollback.run();
  }

  #run(prepared: Prepared, row: Row, tail: number[]): void {
    const values: (Value | Buffer)[] = [];
    for (let i = 0; i < prepared.columns.length; i++) {
      const value = row[prepared.columns[i]!]!;
      values.push(prepared.isUuid[i] && typeof value === 'string' ? uuidToBytes(value) : value);
    }
    prepared.statement.run(...values, ...tail);
  }

  #cached(id: string, table: TableName, row: Row, sql: (columns: string[]) => string): Prepared {
    let prepared = this.#prepared.get(id);
    if (!prepared) {
      const columns = Object.keys(row);
      const uuids = uuidColumns[table] ?? [];
      prepared = {
        statement: this.#db.prepare(sql(columns)),
        columns,
        isUuid: columns.map((column) => uuids.includes(column)),
      };
      this.#prepared.set(id, prepared);
    }
    return prepared;
  }

  #insert(table: TableName, row: Row): Prepared {
    return this.#cached(`insert ${table}`, table, row, (columns) => {
      const marks = columns.map(() => '?').join(', ');
      return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`;
    });
  }

  #update(table: TableName, row: Row): Prepared {
    const id = `update ${table} ${Object.keys(row).join(' ')}`;
    return this.#cached(id, table, row, (columns) => {
      const assignments = columns.map((column) => `${column} = ?`).join(', ');
      return `UPDATE ${table} SET ${assignments} WHERE ${keyColumn(table)} = ?`;
    });
  }

  #delete(table: TableName): Prepared {
    return this.#cached(`delete ${table}`, table, {}, () => `DELETE FROM ${table} WHERE ${keyColumn(table)} = ?`);
  }
}
