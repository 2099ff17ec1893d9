import { hash } from 'node:crypto';
import type { Change } from '../store/tables.ts';

/** One batch of a shard: everything a standby needs to be the same as the owner afterwards. */
export interface ChangeRecord {
  shard: number;
  /** Raised by every change of owner: the fence. */
  epoch: number;
  /** Gapless number of the record in its shard, from 1. */
  lsn: number;
  /** The hash of the record before it: the chain that shows a divergence. */
  prevHash: string;
  changes: Change[];
}

/** Separates values: it stands in no number and in no JSON text. */
const separator = '\u0000';

/**
 * The hash of a record, which the next one names. Over the values and not their JSON: the rows hold long texts that
 * would all be escaped again.
 */
export function recordHash({ shard, epoch, lsn, prevHash, changes }: ChangeRecord): string {
  let text = `${shard} ${epoch} ${lsn} ${prevHash}`;
  for (const change of changes) {
    text += `${separator}${change.table} ${change.op}`;
    if (change.op !== 'insert') text += ` ${change.key}`;
    if (change.op === 'delete') continue;
    const row: Record<string, unknown> = change.row;
    for (const column in row) text += `${separator}${column}${separator}${row[column]}`;
  }
  return hash('sha256', text);
}

/**
 * The log of change records. A batch is acknowledged when its record is appended **and** committed.
 * A log that is replicated returns a promise that resolves when enough copies are safe.
 */
export interface ShardLog {
  /** @throws FencedError when another owner has taken the shard */
  append(record: ChangeRecord): void | Promise<void>;
}

/** The shard has another owner: this host's batch must not be committed. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}
