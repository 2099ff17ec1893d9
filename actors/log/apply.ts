import { shardDigest } from '../journal/turn.ts';
import type { HostStore } from '../store/host-store.ts';
import type { ShardRow } from '../store/tables.ts';
import { type ChangeRecord, recordHash, type ShardLog } from './shard-log.ts';

/** A record does not follow on what the file holds: the file and the log have diverged, or a record is missing. */
export class DivergedError extends Error {
  override readonly name = 'DivergedError';
}

/** The shard's row after a record. */
export function rowAfter({ shard, lsn, epoch, position }: ChangeRecord, hash: string): ShardRow {
  const row = { shard, lsn, epoch, hash, ...position };
  return { ...row, digest: shardDigest(row) };
}

/**
 * Makes a record of the log durable in a file that stands right before it: what a standby does, and an owner whose
 * commit failed after the append. A record that the file holds already changes nothing.
 * @throws DivergedError; I/O errors of the store, after which it can be tried again
 */
export function applyRecord(store: Pick<HostStore, 'shard' | 'transactions'>, record: ChangeRecord): void {
  const before = store.shard(record.shard);
  const [lsn, hash] = [before?.lsn ?? 0, before?.hash ?? ''];
  const after = recordHash(record);
  if (record.lsn === lsn && after === hash) return;
  if (record.lsn !== lsn + 1 || record.prevHash !== hash) {
    throw new DivergedError(`Record ${record.lsn} of shard ${record.shard} does not follow on ${lsn} of the file.`);
  }
  const { transactions } = store;
  transactions.begin();
  try {
    for (const change of record.changes) transactions.apply(change);
    transactions.advance(rowAfter(record, after), record.prevHash);
    transactions.commit();
  } catch (error) {
    transactions.rollback();
    throw error;
  }
}

/**
 * Applies what the log holds of a shard and the file does not.
 * @returns whether there was anything
 * @throws as `applyRecord`; errors of the log
 */
export async function applyTail(
  store: Pick<HostStore, 'shard' | 'transactions'>,
  log: Pick<ShardLog, 'tail'>,
  shard: number,
): Promise<boolean> {
  const stand = (): number => store.shard(shard)?.lsn ?? 0;
  const before = stand();
  for (const record of await log.tail(shard, before)) {
    // While the records were on their way somebody else of this node may have applied some.
    if (record.lsn >= stand()) applyRecord(store, record);
  }
  return stand() > before;
}
