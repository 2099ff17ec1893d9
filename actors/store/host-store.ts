import { randomUUID } from 'node:crypto';
import { uuidToBytes } from '../uuid.ts';
import { type Connection, type Durability, openForWriting } from './database.ts';
import { createSeal, readWith, type Seal } from './seal.ts';
import { sealed, sealFile } from './sealed-file.ts';
import { type Change, keysPerShard, type TableShape } from './table.ts';
import {
  bases,
  type BaseRow,
  type DeadLetterRow,
  deadLetters,
  journal,
  type JournalRow,
  type OutboxRow,
  outbox,
  runtimeTables,
  type ShardRow,
  type TimerRow,
  timers,
} from './tables.ts';
import { writeAheadLog } from './write-ahead-log.ts';
import { WriteTransactions } from './write-transaction.ts';

/** What the shard host needs of the file: the one writer of all shards. */
export interface HostStore {
  transactions: WriteTransactions;
  /** Changes as they are applied and logged: their secrets encrypted. */
  sealed(changes: Change[]): Change[];
  /** Lends the writer's connection to prepare reads with: they see what an open transaction has applied. */
  prepare<T>(make: (db: Connection) => T): T;
  /** The kept answer of a command, as JSON text; null for one that was not handled, or whose repetition is recognised. */
  answered(commandId: string): string | null;
  /** The shard's row; a new shard has none. */
  shard(shard: number): ShardRow | null;
  turn(key: number): JournalRow | null;
  /** Turns of a shard from a key on, in order. */
  turns(from: number, to: number, limit: number): JournalRow[];
  base(subject: number): BaseRow | null;
  /** Those of an actor (by its key) and of the rows that it owns. */
  basesOf(actor: number): BaseRow[];
  timer(subject: number, name: string): TimerRow | null;
  /** The effect of a kind that a subject has in the outbox. */
  effectOf(subject: number, kind: string): OutboxRow | null;
  effect(key: number): OutboxRow | null;
  /** Timers of some shards that are due at `now` (epoch ms), earliest first. */
  dueTimers(shards: readonly number[], now: number, limit: number): TimerRow[];
  /** Epoch ms of the earliest timer of some shards, null without timers. */
  nextTimer(shards: readonly number[]): number | null;
  /** Timers whose keys lie from one up to another. */
  timersBetween(from: number, to: number): TimerRow[];
  /** Dead letters of a command id. */
  deadLetter(commandId: string): DeadLetterRow | null;
  /** Of an actor, by its id. */
  deadLettersOf(actor: string): DeadLetterRow[];
  /** What the write-ahead log holds and what of it is in the file already, in pages. Outside of any transaction. */
  logPages(): { pages: number; moved: number };
  /**
   * Moves what was committed from the write-ahead log into the file, as far as no reader needs it there. Outside of
   * any transaction. Whether the log needs nothing more.
   */
  checkpoint(): boolean;
  close(): void;
}

export interface HostStoreOptions {
  file: string;
  durability: Durability;
  shards: number;
  /** Tables of the kinds. */
  tables: readonly TableShape[];
  /** Names a new file, and with it every cursor into its feed. Default: a random UUID. */
  instance?: string;
  /** Default: the released schema. */
  migrations?: readonly string[];
  /** What the secrets of the file are encrypted with. Absent: they are not, for tests. */
  sealKey?: Uint8Array | undefined;
  /** What those of a file may be encrypted with that `sealKey` does not open. */
  previousSealKey?: Uint8Array | undefined;
}

/** Marks a file as the hub's; the low byte says how many shards it was made for (0: 256). */
const applicationId = 0x50_41_52_00;

/**
 * Opens the file for the host.
 * @throws Error as `openForWriting`, and when the file was made for another number of shards, or under another key
 */
export function openHostStore(options: HostStoreOptions): HostStore {
  const { file, durability, shards, tables } = options;
  const db = openForWriting(file, durability, options.migrations);
  fixShards(db, file, shards);
  db.prepare("INSERT INTO meta VALUES ('instance', ?) ON CONFLICT DO NOTHING").run(options.instance ?? randomUUID());
  const all: TableShape[] = [...runtimeTables, ...tables];
  const seal = openSeal(db, all, options);
  const log = writeAheadLog(db);
  const letter = db.prepare('SELECT answer FROM dead_letter WHERE command_id = ?').pluck();
  const remembered = db.prepare('SELECT answer FROM journal WHERE command = ? AND answer IS NOT NULL').pluck();
  const shardRow = db.prepare('SELECT * FROM shard WHERE shard = ?');
  const turn = journal.query(db, 'WHERE key = ?');
  const turns = journal.query(db, 'WHERE key >= ? AND key < ? ORDER BY key LIMIT ?');
  const base = bases.query(db, 'WHERE key = ?');
  const basesOf = bases.query(db, 'WHERE actor = ?');
  const timer = timers.query(db, 'WHERE subject = ? AND name = ?');
  const effectOf = outbox.query(db, 'WHERE subject = ? AND kind = ?');
  const effect = outbox.query(db, 'WHERE key = ?');
  // The file may hold the rows of shards that others own.
  const ofShards = `key / ${keysPerShard} IN (SELECT value FROM json_each(?))`;
  const due = timers.query(db, `WHERE due <= ? AND ${ofShards} ORDER BY due, key LIMIT ?`);
  const next = db.prepare(`SELECT due FROM timer WHERE ${ofShards} ORDER BY due LIMIT 1`).pluck();
  const timersIn = timers.query(db, 'WHERE key >= ? AND key < ?');
  const deadLetter = deadLetters.query(db, 'WHERE command_id = ?');
  const deadLettersOf = deadLetters.query(db, 'WHERE actor_id = ?');
  return {
    transactions: new WriteTransactions(db, all),
    sealed: seal === null ? (changes) => changes : sealer(seal, all),
    prepare: (make) => make(db),
    answered(commandId) {
      const id = uuidToBytes(commandId);
      return ((letter.get(id) ?? remembered.get(id)) as string | undefined) ?? null;
    },
    shard: (shard) => (shardRow.get(shard) as ShardRow | undefined) ?? null,
    turn: (key) => turn.get(key),
    turns: (from, to, limit) => turns.all(from, to, limit),
    base: (subject) => base.get(subject),
    basesOf: (actor) => basesOf.all(actor),
    timer: (subject, name) => timer.get(subject, name),
    effectOf: (subject, kind) => effectOf.get(subject, kind),
    effect: (key) => effect.get(key),
    dueTimers: (owned, now, limit) => due.all(now, JSON.stringify(owned), limit),
    nextTimer: (owned) => (next.get(JSON.stringify(owned)) as number | undefined) ?? null,
    timersBetween: (from, to) => timersIn.all(from, to),
    deadLetter: (commandId) => deadLetter.get(uuidToBytes(commandId)),
    deadLettersOf: (actor) => deadLettersOf.all(uuidToBytes(actor)),
    logPages: log.pages,
    checkpoint: () => log.move('PASSIVE'),
    close: () => db.close(),
  };
}

function openSeal(db: Connection, tables: readonly TableShape[], options: HostStoreOptions): Seal | null {
  const { sealKey, previousSealKey } = options;
  if (sealKey === undefined) return null;
  const seal = createSeal(sealKey);
  sealFile(db, tables, seal, previousSealKey === undefined ? null : createSeal(previousSealKey));
  readWith(db, seal);
  return seal;
}

function sealer(seal: Seal, tables: readonly TableShape[]): HostStore['sealed'] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return (changes) => changes.map((change) => sealed(seal, byName, change));
}

/** An actor's shard follows from the number of shards: another number would give it a second owner. */
function fixShards(db: Connection, file: string, shards: number): void {
  const stored = db.pragma('application_id', { simple: true }) as number;
  if (stored === 0) {
    db.pragma(`application_id = ${applicationId + (shards % 256)}`);
  } else if (stored !== applicationId + (shards % 256)) {
    const made = (stored - applicationId) % 256 || 256;
    throw new Error(`${file} was made for data.shards: ${made}. It can not be opened with ${shards}.`);
  }
}
