import { uuidToBytes } from '../uuid.ts';
import type { Connection, Statement } from './database.ts';
import type { Change, Row, TableShape, Value } from './table.ts';
import type { ShardRow } from './tables.ts';

interface Prepared {
  statement: Statement;
  columns: string[];
  isUuid: boolean[];
}

/** More than the commands of a batch. Random: SQLite writes no page that is as it was. */
const probeBytes = 1024 * 1024;

/** A row that a change names is not there, or a shard is not where its owner believes: nothing of it may be committed. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
}

/**
 * The only way rows change. One transaction is open at a time; `apply` may be called many times in it, and reads on
 * the same connection see what was applied.
 */
export class WriteTransactions {
  readonly #db: Connection;
  readonly #uuids: ReadonlyMap<string, readonly string[]>;
  readonly #prepared = new Map<string, Prepared>();
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #openShard: Statement;
  readonly #advance: Statement;
  readonly #probe: Statement;

  constructor(db: Connection, tables: readonly TableShape[]) {
    this.#db = db;
    this.#uuids = new Map(tables.map(({ name, uuids }) => [name, uuids]));
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#openShard = db.prepare(
      `INSERT INTO shard VALUES (@shard, @lsn, @epoch, @hash, @next_key, @next_position, @horizon, @time, @sums, @digest)`,
    );
    this.#probe = db.prepare(
      `INSERT INTO meta VALUES ('probe', hex(randomblob(${probeBytes / 2})))
       ON CONFLICT DO UPDATE SET value = excluded.value`,
    );
    this.#advance = db.prepare(
      `UPDATE shard SET lsn = @lsn, epoch = @epoch, hash = @hash, next_key = @next_key,
         next_position = @next_position, horizon = @horizon, time = @time,
         sums = @sums, digest = @digest
       WHERE shard = @shard AND lsn = @lsn - 1 AND hash = @previous`,
    );
  }

  begin(): void {
    this.#begin.run();
  }

  /** @throws SqliteError a constraint, StoreConflict: defects of the caller; or I/O, then the batch must be rolled back */
  apply(change: Change): void {
    switch (change.op) {
      case 'insert':
        this.#run(this.#insert(change.table, change.row), change.row, []);
        return;
      case 'update':
        this.#mustHit(change, this.#run(this.#update(change.table, change.row), change.row, [change.key]));
        return;
      case 'delete':
        this.#mustHit(change, this.#delete(change.table).statement.run(change.key).changes);
        return;
      case 'cut':
        this.#cut(change.table).statement.run(change.from, change.to);
    }
  }

  /**
   * Moves a shard to its next record: the row must stand at the record before it.
   * @throws StoreConflict when it does not: somebody else has written the shard
   */
  advance(row: ShardRow, previousHash: string): void {
    if (row.lsn === 1) {
      this.#openShard.run(row);
      return;
    }
    const { changes } = this.#advance.run({ ...row, previous: previousHash });
    if (changes !== 1) throw new StoreConflict(`Shard ${row.shard} does not stand before record ${row.lsn}.`);
  }

  /** Writes something that means nothing and takes as much room as a batch. */
  probe(): void {
    this.#probe.run();
  }

  /** The durable point. */
  commit(): void {
    this.#commit.run();
  }

  rollback(): void {
    if (this.#db.inTransaction) this.#rollback.run();
  }

  #mustHit(change: Change & { key: number }, rows: number): void {
    if (rows !== 1) throw new StoreConflict(`There is no row ${change.key} in ${change.table} to ${change.op}.`);
  }

  #run(prepared: Prepared, row: Row, tail: number[]): number {
    const values: (Value | Buffer)[] = [];
    for (let i = 0; i < prepared.columns.length; i++) {
      const value = row[prepared.columns[i]!]!;
      values.push(prepared.isUuid[i] && typeof value === 'string' ? uuidToBytes(value) : value);
    }
    return prepared.statement.run(...values, ...tail).changes;
  }

  #cached(id: string, table: string, row: Row, sql: (columns: string[]) => string): Prepared {
    let prepared = this.#prepared.get(id);
    if (!prepared) {
      const uuids = this.#uuids.get(table);
      if (uuids === undefined) throw new Error(`The store has no table ${table}.`);
      const columns = Object.keys(row);
      prepared = {
        statement: this.#db.prepare(sql(columns)),
        columns,
        isUuid: columns.map((column) => uuids.includes(column)),
      };
      this.#prepared.set(id, prepared);
    }
    return prepared;
  }

  #insert(table: string, row: Row): Prepared {
    return this.#cached(`insert ${table}`, table, row, (columns) => {
      const marks = columns.map(() => '?').join(', ');
      return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`;
    });
  }

  #update(table: string, row: Row): Prepared {
    const id = `update ${table} ${Object.keys(row).join(' ')}`;
    return this.#cached(id, table, row, (columns) => {
      const assignments = columns.map((column) => `${column} = ?`).join(', ');
      return `UPDATE ${table} SET ${assignments} WHERE key = ?`;
    });
  }

  #delete(table: string): Prepared {
    return this.#cached(`delete ${table}`, table, {}, () => `DELETE FROM ${table} WHERE key = ?`);
  }

  #cut(table: string): Prepared {
    return this.#cached(`cut ${table}`, table, {}, () => `DELETE FROM ${table} WHERE key >= ? AND key < ?`);
  }
}
