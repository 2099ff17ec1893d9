import type { Connection } from './database.ts';
import { keysPerShard, shardOfKey } from './table.ts';
import type { ShardRow } from './tables.ts';

/** What a walk goes through is the list of one moment: the last key that each shard had given out by then. */
export type WalkStart = readonly number[];

/** The moment now. */
export function walkStart(db: Connection): WalkStart {
  const rows = db.prepare('SELECT shard, next_key FROM shard ORDER BY shard').all();
  return (rows as Pick<ShardRow, 'shard' | 'next_key'>[]).map(
    ({ shard, next_key }) => shard * keysPerShard + next_key - 1,
  );
}

/** The last key that each shard had given out, by the shard. */
export function lastKeys(start: WalkStart): number[] {
  const last: number[] = [];
  for (const key of start) last[shardOfKey(key)] = key;
  return last;
}

/** The same for a query: a JSON array whose indexes are the shards. */
export const lastKeyByShard = (start: WalkStart): string => JSON.stringify(lastKeys(start));
