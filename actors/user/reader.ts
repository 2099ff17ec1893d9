import { jsonText } from '../json.ts';
import type { UserJson } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { keysPerShard, shardOfKey } from '../store/table.ts';
import type { ShardRow } from '../store/tables.ts';
import { userJson } from './representation.ts';
import { users } from './tables.ts';

export interface UserReader {
  /**
   * Last seen first. A walk goes through the list of the moment at which it began, each user as they are now: key
   * `[last seen then, row key, ...that moment]`.
   */
  page(query: PageQuery): Page<UserJson>;
}

/** A user's place in the list, as it was when a walk through the list began. */
interface Place {
  at: number;
  key: number;
}

export function userReader(db: Connection): UserReader {
  const byKey = users.query(db, 'WHERE key = ?');
  const count = db.prepare('SELECT count(*) FROM user').pluck();
  const older = db.prepare(placesQuery('<', 'DESC'));
  const newer = db.prepare(placesQuery('>', 'ASC'));
  return {
    page(query) {
      const start = query.from?.key.slice(2) ?? positionsNow(db);
      return pageOf(
        query,
        (from, backwards, limit) => {
          const edge = backwards ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [at = edge, key = edge] = from ?? [];
          return (backwards ? newer : older).all({ start: byShard(start), at, key, limit }) as Place[];
        },
        ({ at, key }) => [at, key, ...start],
        ({ key }) => jsonText(userJson(byKey.get(key)!)),
        count.get() as number,
      );
    },
  };
}

/** The last position of each shard's journal. */
function positionsNow(db: Connection): number[] {
  const rows = db.prepare('SELECT shard, next_position FROM shard ORDER BY shard').all();
  return (rows as Pick<ShardRow, 'shard' | 'next_position'>[]).map(
    ({ shard, next_position }) => shard * keysPerShard + next_position - 1,
  );
}

/** A JSON array whose indexes are the shards. */
function byShard(start: readonly number[]): string {
  const last: number[] = [];
  for (const key of start) last[shardOfKey(key)] = key;
  return JSON.stringify(last);
}

/**
 * Who was not seen since the walk began has the place of then. Where the others were is told by their newest turn of
 * then, as every turn of a user is a sighting. Who had none is new, and comes with the next walk.
 */
const placesQuery = (comparison: '<' | '>', order: 'ASC' | 'DESC'): string => `
  WITH RECURSIVE
    start (shard, last) AS MATERIALIZED (SELECT key, value FROM json_each(@start) WHERE value IS NOT NULL),
    quiet AS (
      SELECT last_seen_at AS at, key FROM user u
      WHERE (last_seen_at, key) ${comparison} (@at, @key)
        AND last_turn <= (SELECT last FROM start WHERE shard = u.key / ${keysPerShard})
      ORDER BY last_seen_at ${order}, key ${order} LIMIT @limit),
    seen (key, turn, last) AS (
      SELECT u.key, u.last_turn, start.last
      FROM user u JOIN start ON start.shard = u.key / ${keysPerShard} WHERE u.last_turn > start.last
      UNION ALL
      SELECT seen.key, j.previous, seen.last FROM seen JOIN journal j ON j.key = seen.turn WHERE seen.turn > seen.last),
    moved AS (SELECT j.at, seen.key FROM seen JOIN journal j ON j.key = seen.turn WHERE seen.turn <= seen.last)
  SELECT at, key FROM (SELECT * FROM quiet UNION ALL SELECT * FROM moved WHERE (at, key) ${comparison} (@at, @key))
  ORDER BY at ${order}, key ${order} LIMIT @limit`;
