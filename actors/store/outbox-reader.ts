import type { Connection } from './database.ts';
import { rowQuery } from './rows.ts';
import { keysPerShard, type Rows } from './tables.ts';

/** Reads the effects that are to be done. */
export interface OutboxReader {
  /** Effects of a shard with keys above `after`, in the order of their keys. */
  after(shard: number, after: number, limit: number): Rows['outbox'][];
  find(key: number): Rows['outbox'] | null;
  /** How many effects wait. */
  count(): number;
}

export function outboxReader(db: Connection): OutboxReader {
  const page = rowQuery(db, 'outbox', 'WHERE key > ? AND key < ? ORDER BY key LIMIT ?');
  const byKey = rowQuery(db, 'outbox', 'WHERE key = ?');
  const count = db.prepare('SELECT count(*) FROM outbox').pluck();
  return {
    after: (shard, after, limit) => page.all(Math.max(after, shard * keysPerShard), (shard + 1) * keysPerShard, limit),
    find: (key) => byKey.get(key),
    count: () => count.get() as number,
  };
}
