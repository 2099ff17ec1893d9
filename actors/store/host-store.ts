import { uuidToBytes } from '../uuid.ts';
import { type ActorReads, actorReads } from './actor-reads.ts';
import { type Connection, type Durability, openForWriting } from './database.ts';
import { rowQuery } from './rows.ts';
import { keysPerShard, type Rows } from './tables.ts';
import { type WebhookPruning, webhookPruning } from './webhook-pruning.ts';
import { writeAheadLog } from './write-ahead-log.ts';
import { WriteTransactions } from './write-transaction.ts';

/** What the shard host needs of the file: the one writer of all shards. */
export interface HostStore {
  reads: ActorReads;
  transactions: WriteTransactions;
  webhooks: WebhookPruning;
  /** The stored answer of a command, as JSON text. */
  answered(commandId: string): string | null;
  /** The shard's row; a new shard starts at lsn 0. */
  shard(shard: number): Rows['shard'] | null;
  /** Timers due at `now` (epoch ms), earliest first. */
  dueTimers(now: number, limit: number): Rows['timer'][];
  /** Epoch ms of the earliest timer, null without timers. */
  nextTimer(): number | null;
  /** Dead letters of a command id. */
  deadLetter(commandId: string): Rows['dead_letter'] | null;
  /** Keys of inbox rows of a shard older than `before` (epoch ms), oldest first. */
  oldInbox(shard: number, before: number, limit: number): number[];
  /** Keys of feed or history rows of a shard older than `before` (epoch ms), oldest first. */
  oldRows(table: 'feed' | 'history', shard: number, before: number, limit: number): number[];
  /** What the write-ahead log holds and what of it is in the file already, in pages. Outside of any transaction. */
  logPages(): { pages: number; moved: number };
  /**
   * Moves what was committed from the write-ahead log into the file, as far as no reader needs it there. Outside of
   * any transaction. Whether the log needs nothing more.
   */
  checkpoint(): boolean;
  close(): void;
}

/** Marks a file as the hub's; the low byte says how many shards it was made for (0: 256). */
const applicationId = 0x50_41_52_00;

/**
 * Opens the file for the host.
 * @throws Error as `openForWriting`, and when the file was made for another number of shards
 */
export function openHostStore(file: string, durability: Durability, shards: number): HostStore {
  const db = openForWriting(file, durability);
  fixShards(db, file, shards);
  const log = writeAheadLog(db);
  const answered = db.prepare('SELECT reply FROM inbox WHERE command_id = ?').pluck();
  const shardRow = rowQuery(db, 'shard', 'WHERE shard = ?');
  const due = rowQuery(db, 'timer', 'WHERE due <= ? ORDER BY due, key LIMIT ?');
  const next = db.prepare('SELECT min(due) FROM timer').pluck();
  const deadLetter = rowQuery(db, 'dead_letter', 'WHERE command_id = ?');
  const old = (table: string, column: string) =>
    db
      .prepare(
        // Rows stand in the order of their age, so the scan from the shard's first key stops at the first young one.
        `SELECT key FROM (SELECT key, ${column} AS age FROM ${table} WHERE key >= ? AND key < ? ORDER BY key LIMIT ?) WHERE age < ?`,
      )
      .pluck();
  const oldByTable = { inbox: old('inbox', 'at'), feed: old('feed', 'timestamp'), history: old('history', 'at') };
  const oldKeys = (table: keyof typeof oldByTable, shard: number, before: number, limit: number): number[] =>
    oldByTable[table].all(shard * keysPerShard, (shard + 1) * keysPerShard, limit, before) as number[];
  return {
    reads: actorReads(db),
    transactions: new WriteTransactions(db),
    webhooks: webhookPruning(db),
    answered: (commandId) => (answered.get(uuidToBytes(commandId)) as string | undefined) ?? null,
    shard: (shard) => shardRow.get(shard),
    dueTimers: (now, limit) => due.all(now, limit),
    nextTimer: () => next.get() as number | null,
    deadLetter: (commandId) => deadLetter.get(uuidToBytes(commandId)),
    oldInbox: (shard, before, limit) => oldKeys('inbox', shard, before, limit),
    oldRows: (table, shard, before, limit) => oldKeys(table, shard, before, limit),
    logPages: log.pages,
    checkpoint: () => log.move('PASSIVE'),
    close: () => db.close(),
  };
}

/** An actor's shard follows from the number of shards: another number would give it a second owner and a second history. */
function fixShards(db: Connection, file: string, shards: number): void {
  const stored = db.pragma('application_id', { simple: true }) as number;
  if (stored === 0) {
    db.pragma(`application_id = ${applicationId + (shards % 256)}`);
  } else if (stored !== applicationId + (shards % 256)) {
    const made = (stored - applicationId) % 256 || 256;
    throw new Error(`${file} was made for data.shards: ${made}. It can not be opened with ${shards}.`);
  }
}
