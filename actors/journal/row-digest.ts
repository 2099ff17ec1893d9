import type { AnyKind } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { type Change, type Row, type RowQuery, Table, type TableShape } from '../store/table.ts';
import { bases, deadLetters, journal, marks, outbox, timers } from '../store/tables.ts';
import { digest, type RowChange } from './turn.ts';

/** Separates values: it stands in no number and in no JSON text. */
const separator = '\u0000';
/** Stands for a secret: a digest that followed from it could be used to guess it. Its own encryption binds it to its row. */
const something = '\u0001s';
/** Stands for a null: it is no text that a column holds. */
const nothing = `\u0001${separator}`;

/** The tables that are checked by digests. */
export const digestedTables = (kinds: readonly AnyKind[]): TableShape[] => [
  ...[timers, outbox, deadLetters, bases, marks],
  ...kinds.flatMap(({ table, tables = [] }) => [table, ...tables]),
];

/** Those, and the journal, whose rows have hashes: only what was erased of them is checked by digests. */
export const tablesOfTurns = (kinds: readonly AnyKind[]): TableShape[] => [...digestedTables(kinds), journal];

/** Digests of whole rows, by which a check of the file finds rows that nobody has written so. */
export class RowDigests {
  readonly #tables: ReadonlyMap<string, { columns: string[]; secrets: ReadonlySet<string>; byKey: RowQuery<Row> }>;

  constructor(db: Connection, tables: readonly TableShape[]) {
    const columnsOf = db.prepare('SELECT name FROM pragma_table_info(?)').pluck();
    this.#tables = new Map(
      tables.map(({ name, uuids, secrets }) => {
        const all = columnsOf.all(name) as string[];
        // The hash of an actor's last turn follows from its row's digest, so it can not be part of that.
        const columns = all.includes('last_turn') ? all.filter((column) => column !== 'chain') : all;
        return [
          name,
          { columns, secrets: new Set(secrets), byKey: new Table<Row>(name, uuids).query(db, 'WHERE key = ?') },
        ];
      }),
    );
  }

  /** Of its values in the order of the columns: nulls at the end count for nothing, so a later schema can add columns. */
  of(table: string, row: object): string {
    const values = row as Row;
    let text = '';
    let nulls = '';
    const { columns, secrets } = this.#tables.get(table)!;
    for (const column of columns) {
      const value = secrets.has(column) && values[column] != null ? something : values[column];
      if (value == null) {
        nulls += nothing;
      } else {
        text += `${nulls}${value}${separator}`;
        nulls = '';
      }
    }
    return digest(text);
  }

  /** What changes make of their rows, each row once. Reads the store: asked before they are applied. */
  changesOf(changes: readonly Change[]): RowChange[] {
    const touched = new Map<string, Touched>();
    for (const change of changes) {
      if (change.op === 'cut') continue;
      const { table } = change;
      const key = change.op === 'insert' ? (change.row['key'] as number) : change.key;
      const id = `${table} ${key}`;
      const row = touched.get(id) ?? this.#untouched(change, key);
      row.after = afterwards(row.after, change);
      touched.set(id, row);
    }
    const made: RowChange[] = [];
    for (const { table, key, before, after } of touched.values()) {
      if (before === null && after === null) continue;
      made.push({ table, key, before: before && this.of(table, before), after: after && this.of(table, after) });
    }
    return made;
  }

  #untouched({ table, op }: Change, key: number): Touched {
    const before = op === 'insert' ? null : this.#tables.get(table)!.byKey.get(key);
    return { table, key, before, after: before };
  }
}

/** A row that changes touch. */
interface Touched {
  table: string;
  key: number;
  before: Row | null;
  after: Row | null;
}

function afterwards(row: Row | null, change: Exclude<Change, { op: 'cut' }>): Row | null {
  if (change.op === 'insert') return change.row;
  return change.op === 'delete' ? null : { ...row, ...change.row };
}

/** For each table, the sum of the digests of its rows. */
export class RowSums {
  readonly #sums: Map<string, bigint>;

  /** @param text what `toString` gave */
  constructor(text: string) {
    const sums = Object.entries(JSON.parse(text) as Record<string, string>);
    this.#sums = new Map(sums.map(([table, sum]) => [table, BigInt(`0x${sum}`)]));
  }

  add({ table, before, after }: Pick<RowChange, 'table' | 'before' | 'after'>): void {
    const sum = (this.#sums.get(table) ?? 0n) + numberOf(after) - numberOf(before);
    this.#sums.set(table, BigInt.asUintN(sumBits, sum));
  }

  /** Tables whose rows do not cancel out. */
  get left(): string[] {
    return [...this.#sums].filter(([, sum]) => sum !== 0n).map(([table]) => table);
  }

  toString(): string {
    return JSON.stringify(Object.fromEntries([...this.#sums].map(([table, sum]) => [table, sum.toString(16)])));
  }
}

/** The sums of no rows. */
export const noSums = '{}';

const sumBits = 128;

const numberOf = (text: string | null): bigint =>
  text === null ? 0n : BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
