import type { MachineId } from '#machines/registry.ts';
import type { AnyKind, Contradictions, OwnedState } from '../runtime/kind.ts';
import { slots } from '../runtime/shard.ts';
import { assertNotOlder, type Connection, openForReading } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import { bases, type BaseRow, journal, type JournalRow, type ShardRow } from '../store/tables.ts';
import { ErasureCheck } from './erasure-check.ts';
import { FoldCheck } from './fold-check.ts';
import { RowCheck } from './row-check.ts';
import { RowDigests, tablesOfTurns } from './row-digest.ts';
import { secretProblems } from './secret-check.ts';
import { positionsOf, shardDigest, type TurnEvent, turnHash, unpackEvents, unpackRows, unpackSteps } from './turn.ts';

/** What a check of a data file found. `problems` empty: its invariants hold. */
export interface Verification {
  actors: number;
  turns: number;
  steps: number;
  events: number;
  /** Rows besides turns, those of actors too. */
  rows: number;
  problems: string[];
}

/**
 * Checks what a data file shows by itself: the journal has no gap, every turn's hash covers the turn and the one before
 * it, the steps of every state machine fold to its stored state, and the events of every actor are numbered without gap
 * or repeat. What only a kind knows of its rows, it says itself.
 * @param sealKey what the file's secrets are encrypted with; absent: of them it is only checked which there are
 */
export function verifyFile(file: string, kinds: readonly AnyKind[], sealKey?: Uint8Array): Verification {
  const db = openForReading(file);
  try {
    assertNotOlder(db, file);
    // A hub may be at work: what is checked is of one moment.
    return db.transaction(() => new Verifier(db, kinds, sealKey).run())();
  } finally {
    db.close();
  }
}

/** An actor as its kept turns leave it. */
interface Chained {
  kind: string;
  chain: string;
  turns: number;
  seq: number;
  last: number;
  /** Digest of its row. */
  row: string | null;
}

class Verifier {
  readonly #db: Connection;
  readonly #kinds: readonly AnyKind[];
  readonly #sealKey: Uint8Array | undefined;
  readonly #bases: Map<number, BaseRow>;
  readonly #contradictions: Map<string, Contradictions>;
  readonly #actors = new Map<number, Chained>();
  readonly #digests: RowDigests;
  readonly #rows: RowCheck;
  readonly #erasures: ErasureCheck;
  readonly #folds: FoldCheck;
  readonly #result: Verification = { actors: 0, turns: 0, steps: 0, events: 0, rows: 0, problems: [] };

  constructor(db: Connection, kinds: readonly AnyKind[], sealKey: Uint8Array | undefined) {
    this.#db = db;
    this.#kinds = kinds;
    this.#sealKey = sealKey;
    this.#digests = new RowDigests(db, tablesOfTurns(kinds));
    this.#rows = new RowCheck(db, kinds, this.#digests);
    this.#erasures = new ErasureCheck(db, this.#digests);
    this.#bases = new Map(
      bases
        .query(db, '')
        .all()
        .map((base) => [base.key, base]),
    );
    this.#folds = new FoldCheck(this.#bases, (text) => this.#problem(text));
    this.#contradictions = new Map(
      kinds.flatMap((kind) => (kind.contradictions ? [[kind.name, kind.contradictions(db)] as const] : [])),
    );
  }

  run(): Verification {
    for (const problem of secretProblems(this.#db, this.#kinds, this.#sealKey)) this.#problem(problem);
    const shards = this.#db.prepare('SELECT * FROM shard ORDER BY shard').all() as ShardRow[];
    for (const shard of shards) {
      this.#shard(shard);
      this.#journal(shard);
    }
    this.#lostShards(shards);
    for (const kind of this.#kinds) {
      this.#actorRows(kind);
      for (const { machine, table, column } of kind.owned ?? []) this.#ownedRows(machine, table.name, column);
      this.#readable(kind.name, () => {
        for (const problem of this.#contradictions.get(kind.name)?.rows() ?? []) this.#problem(problem);
      });
    }
    for (const problem of this.#rows.problems()) this.#problem(problem);
    for (const problem of this.#erasures.problems()) this.#problem(problem);
    this.#result.rows += this.#rows.rows;
    for (const key of this.#bases.keys()) this.#problem(`base ${key}: nobody has it`);
    return this.#result;
  }

  #problem(text: string): void {
    this.#result.problems.push(text);
  }

  /** Reads something that may be spoilt: then it is named, and all others are read. */
  #readable(name: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#problem(`${name}: it can not be read (${(error as Error).message})`);
    }
  }

  #shard(row: ShardRow): void {
    const name = `shard ${row.shard}`;
    if (shardDigest(row) !== row.digest) this.#problem(`${name}: its digest is not that of its columns`);
    this.#readable(name, () => this.#rows.forgotten(row));
  }

  /** Turns of a shard that has no row. */
  #lostShards(shards: readonly ShardRow[]): void {
    const any = this.#db.prepare('SELECT key FROM journal WHERE key >= ? AND key < ? LIMIT 1').pluck();
    for (let shard = 0; shard < slots; shard++) {
      if (shards.some((row) => row.shard === shard)) continue;
      const turn = any.get(shard * keysPerShard, (shard + 1) * keysPerShard);
      if (turn !== undefined) this.#problem(`shard ${shard}: it has turns, and no row`);
    }
  }

  #journal({ shard, horizon, next_position }: ShardRow): void {
    const base = shard * keysPerShard;
    let expected = base + horizon;
    const page = journal.query(this.#db, 'WHERE key >= ? AND key < ? ORDER BY key LIMIT 1000');
    for (let from = base; ; ) {
      const rows = page.all(from, base + keysPerShard);
      for (const row of rows) {
        if (row.key !== expected) this.#problem(`journal ${row.key}: the turn before it is missing, or not its own`);
        expected = row.key + 1;
        this.#readable(`journal ${row.key}`, () => {
          expected = row.key + this.#turn(row);
        });
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      from = last.key + 1;
    }
    if (expected !== base + next_position) {
      this.#problem(`shard ${shard}: its journal ends at ${expected}, not at ${base + next_position}`);
    }
  }

  /** @returns how many positions it takes */
  #turn(row: JournalRow): number {
    this.#result.turns++;
    const name = `journal ${row.key}`;
    const events = unpackEvents(row.events);
    const actor = row.actor === 0 ? null : this.#actorOf(row);
    const { own, others } = unpackRows(row.rows);
    for (const change of others) {
      if (change.table === journal.name) this.#erasures.erased(name, change);
      else this.#rows.changed(name, change);
    }
    if (row.hash !== turnHash(actor?.chain ?? '', row)) this.#erasures.changed(row.key);
    if (actor === null) return positionsOf(events.length);
    if (row.previous !== actor.last && actor.last !== -1) this.#problem(`${name}: it does not follow on ${actor.last}`);
    actor.chain = row.hash;
    actor.turns++;
    actor.last = row.key;
    actor.row = own;
    for (const event of events) this.#event(name, actor, event);
    for (const step of unpackSteps(row.steps)) {
      this.#result.steps++;
      this.#folds.step(name, row.actor, step);
    }
    return positionsOf(events.length);
  }

  #event(name: string, actor: Chained, event: TurnEvent): void {
    const { seq } = event;
    this.#result.events++;
    if (seq !== actor.seq + 1) this.#problem(`${name}: event ${seq} follows on event ${actor.seq}`);
    actor.seq = seq;
  }

  #actorOf({ kind, actor, previous }: JournalRow): Chained {
    let chained = this.#actors.get(actor);
    if (chained === undefined) {
      const base = this.#bases.get(actor);
      chained = { kind, ...blank, ...chainOf(base), last: base ? -1 : 0 };
      if (base !== undefined && previous === 0) this.#problem(`base ${actor}: its actor begins behind it`);
      this.#actors.set(actor, chained);
    }
    return chained;
  }

  #actorRows(kind: AnyKind): void {
    for (const row of kind.table.query(this.#db, 'ORDER BY key').all()) {
      this.#result.actors++;
      this.#result.rows++;
      const name = `${kind.name} ${row.key}`;
      const base = this.#bases.get(row.key);
      const pruned: Chained = { kind: kind.name, ...blank, ...chainOf(base), last: row.last_turn };
      const { chain, turns, seq, last, row: digest } = this.#actors.get(row.key) ?? pruned;
      if (chain !== row.chain) this.#problem(`${name}: its last turn is not the journal's`);
      if (turns !== row.turns) this.#problem(`${name}: it has had ${row.turns} turns, the journal knows ${turns}`);
      if (seq !== row.seq) this.#problem(`${name}: its last event is ${row.seq}, the journal's ${seq}`);
      if (last !== row.last_turn) this.#problem(`${name}: its last turn is ${row.last_turn}, the journal's ${last}`);
      if (digest !== this.#digests.of(kind.table.name, row)) {
        this.#problem(`${name}: its row is not as its last turn left it`);
      }
      const { machine } = kind;
      if (machine !== null) this.#readable(name, () => this.#folds.actor(name, row, machine));
      this.#actors.delete(row.key);
      this.#bases.delete(row.key);
    }
    for (const [key, { kind: name }] of this.#actors) {
      if (name === kind.name) this.#problem(`${name} ${key}: it has turns, and no row`);
    }
  }

  #ownedRows(machine: MachineId, table: string, column: string): void {
    const rows = this.#db.prepare(`SELECT key, ${column} AS state FROM ${table} WHERE ${column} IS NOT NULL`).iterate();
    for (const raw of rows) {
      const { key, state } = raw as { key: number; state: string };
      this.#readable(`${table} ${key}`, () =>
        this.#folds.owned(`${table} ${key}`, key, machine, JSON.parse(state) as OwnedState),
      );
      this.#bases.delete(key);
    }
  }
}

/** What is known of an actor before its first turn. */
const blank = { chain: '', turns: 0, seq: 0, last: 0, row: null };

const chainOf = (base: BaseRow | undefined): Partial<Chained> =>
  base === undefined ? {} : { chain: base.chain ?? '', turns: base.turns ?? 0, seq: base.seq ?? 0, row: base.row };
