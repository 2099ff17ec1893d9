import { hash } from 'node:crypto';
import type { Change } from '../store/table.ts';

/** Where a shard stands after a record, besides its lsn and hash. */
export interface ShardPosition {
  next_key: number;
  next_position: number;
  /** The oldest position that is kept. */
  horizon: number;
  /** The shard's own time, in ms; 0: none is counted yet. */
  time: number;
  /** What rows come to that the journal does not tell of: `ShardRow`. */
  sums: string;
}

/** One batch of a shard: everything a standby needs to be the same as the owner afterwards. */
export interface ChangeRecord {
  shard: number;
  /** Raised by every change of owner: the fence. */
  epoch: number;
  /** Who takes the shard with this record: two that try at once must not say the same. Absent: no takeover. */
  owner?: string;
  /** Gapless number of the record in its shard, from 1. */
  lsn: number;
  /** The hash of the record before it: the chain that shows a divergence. */
  prevHash: string;
  position: ShardPosition;
  changes: Change[];
}

/** Separates values: it stands in no number and in no JSON text. */
const separator = '\u0000';

/**
 * The hash of a record, which the next one names. Over the values and not their JSON: the rows hold long texts that
 * would all be escaped again.
 */
export function recordHash({ shard, epoch, owner, lsn, prevHash, position, changes }: ChangeRecord): string {
  const { next_key, next_position, horizon, time, sums } = position;
  let text = `${shard} ${epoch} ${owner ?? ''} ${lsn} ${prevHash} ${next_key} ${next_position} ${horizon} ${time} ${sums}`;
  for (const change of changes) {
    text += `${separator}${change.table} ${change.op}`;
    if (change.op === 'cut') text += ` ${change.from} ${change.to}`;
    else if (change.op !== 'insert') text += ` ${change.key}`;
    if (change.op === 'delete' || change.op === 'cut') continue;
    const row: Record<string, unknown> = change.row;
    for (const column in row) text += `${separator}${column}${separator}${row[column]}`;
  }
  return hash('sha256', text);
}

/**
 * The log of change records. **A successful append is the decision**: what was appended is committed, again and again
 * if need be; only before it may anything be rolled back.
 */
export interface ShardLog {
  /**
   * False: the commit that follows is what makes a record durable (a single node): `append` answers at once, and the
   * shards of a batch share a transaction. True: a record has copies elsewhere; each shard has a transaction of its own,
   * and none is open while its record is on its way.
   */
  readonly replicated: boolean;
  /**
   * Resolves when enough copies are safe. Appending the same record again has the effect of once.
   * @throws FencedError another owner has appended at this lsn; NotAppendedError this call has appended nothing; any
   *   other error leaves the outcome unknown: the same record has to be appended until it is known
   */
  append(record: ChangeRecord): void | Promise<void>;
  /** The records behind an lsn, oldest first: what an owner or a standby has to apply. A local log has none. */
  tail(shard: number, after: number): Promise<ChangeRecord[]>;
}

/** The shard has another owner: what this host has prepared must not be committed. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** The call has put nothing into the log, and nothing will come of it. Of a call before it this says nothing. */
export class NotAppendedError extends Error {
  override readonly name = 'NotAppendedError';
}
