import type { AnyKind } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { type Row, shardOfKey, Table, type TableShape } from '../store/table.ts';
import type { ShardRow } from '../store/tables.ts';
import { digestedTables, noSums, type RowDigests, RowSums } from './row-digest.ts';
import type { RowChange } from './turn.ts';

/**
 * Checks rows against what was written: a row that a kept turn has touched has the digest that its last one gave it, and
 * all others together come to the sums that the shard keeps of what is forgotten. Actors' own rows are not its affair.
 */
export class RowCheck {
  readonly #db: Connection;
  readonly #digests: RowDigests;
  readonly #tables: TableShape[];
  /** For each table, rows that kept turns have touched; null: deleted. */
  readonly #touched = new Map<string, Map<number, string | null>>();
  readonly #sums = new Map<number, RowSums>();
  readonly #problems: string[] = [];
  /** How many were looked at. */
  rows = 0;

  constructor(db: Connection, kinds: readonly AnyKind[], digests: RowDigests) {
    this.#db = db;
    this.#digests = digests;
    const own = new Set<string>(kinds.map(({ table }) => table.name));
    this.#tables = digestedTables(kinds).filter(({ name }) => !own.has(name));
    for (const { name } of this.#tables) this.#touched.set(name, new Map());
  }

  /** Takes in what a shard keeps of rows whose turns are forgotten. */
  forgotten({ shard, sums }: ShardRow): void {
    this.#sums.set(shard, new RowSums(sums));
  }

  /** Takes in what a turn has made of a row; turns are told in their order. */
  changed(turn: string, { table, key, before, after }: RowChange): void {
    const touched = this.#touched.get(table);
    if (touched === undefined) {
      this.#problems.push(`${turn}: it has changed a row of ${table}, which is no table`);
      return;
    }
    const known = touched.get(key);
    if (known === undefined) this.#cancel(table, key, before);
    else if (known !== before)
      this.#problems.push(`${table} ${key}: ${turn} found another row than the turn before left`);
    touched.set(key, after);
  }

  /** Everything that is wrong, once all turns are told. */
  *problems(): Iterable<string> {
    yield* this.#problems;
    for (const table of this.#tables) yield* this.#rowsOf(table);
    for (const [shard, sums] of this.#sums) {
      for (const table of sums.left)
        yield `${table}: the rows that no kept turn of shard ${shard} has touched are others`;
    }
  }

  *#rowsOf({ name, uuids }: TableShape): Iterable<string> {
    const touched = this.#touched.get(name)!;
    for (const row of new Table<Row>(name, uuids).query(this.#db, 'ORDER BY key').iterate()) {
      this.rows++;
      const key = row['key'] as number;
      const digest = this.#digests.of(name, row);
      const meant = touched.get(key);
      if (meant === undefined) this.#cancel(name, key, digest);
      else if (meant === null) yield `${name} ${key}: it is there, and was deleted`;
      else if (meant !== digest) yield `${name} ${key}: it is not as its last turn left it`;
      touched.delete(key);
    }
    for (const [key, meant] of touched) if (meant !== null) yield `${name} ${key}: it is not there`;
  }

  /** Takes a row out of what its shard keeps the sum of. */
  #cancel(table: string, key: number, before: string | null): void {
    const shard = shardOfKey(key);
    const sums = this.#sums.get(shard) ?? new RowSums(noSums);
    sums.add({ table, before, after: null });
    this.#sums.set(shard, sums);
  }
}
