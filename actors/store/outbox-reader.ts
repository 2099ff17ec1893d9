import type { Connection } from './database.ts';
import { keysPerShard } from './table.ts';
import { outbox, type OutboxRow } from './tables.ts';

/** Reads the effects that are to be done. */
export interface OutboxReader {
  /** Effects of a shard with keys above `after`, in the order of their keys. */
  after(shard: number, after: number, limit: number): OutboxRow[];
  find(key: number): OutboxRow | null;
  /** How many effects wait. */
  count(): number;
}

export function outboxReader(db: Connection): OutboxReader {
  const page = outbox.query(db, 'WHERE key > ? AND key < ? ORDER BY key LIMIT ?');
  const byKey = outbox.query(db, 'WHERE key = ?');
  const count = db.prepare('SELECT count(*) FROM outbox').pluck();
  return {
    after: (shard, after, limit) => page.all(Math.max(after, shard * keysPerShard), (shard + 1) * keysPerShard, limit),
    find: (key) => byKey.get(key),
    count: () => count.get() as number,
  };
}
