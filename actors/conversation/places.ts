import type { Connection } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import { lastKeyByShard, type WalkStart } from '../store/walk-start.ts';

/** A conversation's place in the list, as it was when a walk through the list began. */
export interface Place {
  /** When its last message of then was sent, in epoch ms. */
  at: number;
  /** Key of the conversation. */
  key: number;
}

/** Places behind one, or in front of it when `backwards`: the nearest first. */
export type FindPlaces = (start: WalkStart, from: Place | null, backwards: boolean, limit: number) => Place[];

/** What was said since the moment at which a walk began, by conversation. */
const heard = `
      start (shard, last) AS MATERIALIZED (SELECT key, value FROM json_each(?) WHERE value IS NOT NULL),
      heard (conversation, last) AS (
        SELECT DISTINCT m.conversation, start.last FROM start
        CROSS JOIN message m ON m.key > start.last AND m.key < (start.shard + 1) * ${keysPerShard} AND running(m.key)),
      moved AS (
        SELECT (SELECT m.sent_at FROM message m WHERE m.conversation = c.key AND m.key <= heard.last
                ORDER BY m.sent_at DESC LIMIT 1) AS at, c.key
        FROM heard CROSS JOIN conversation c ON c.key = heard.conversation
        WHERE c.created_at IS NOT NULL AND c.last_message > heard.last)`;

/**
 * Finds places in the list of the moment at which a walk began. A conversation that nothing was said in since has the
 * place it had then. Of the others, wherever they are by now, the place is that of the last message of then: they are
 * found by what was said since, so that a walk which is not slow finds few, and writers keep no index for it.
 */
export function placesOf(db: Connection): FindPlaces {
  const query = (comparison: '<' | '>', order: 'ASC' | 'DESC'): string => `
    WITH ${heard},
      quiet AS (
        SELECT c.last_message_at AS at, c.key FROM conversation c
        WHERE c.created_at IS NOT NULL AND (c.last_message_at, c.key) ${comparison} (?, ?)
          AND c.last_message <= (SELECT last FROM start WHERE shard = c.last_message / ${keysPerShard})
        ORDER BY c.last_message_at ${order}, c.key ${order} LIMIT ?)
    SELECT at, key FROM (SELECT * FROM quiet UNION ALL SELECT * FROM moved WHERE (at, key) ${comparison} (?, ?))
    ORDER BY at ${order}, key ${order} LIMIT ?`;
  const behind = db.prepare(query('<', 'DESC'));
  const before = db.prepare(query('>', 'ASC'));
  return (start, from, backwards, limit) => {
    const { at, key } = from ?? edgeOf(backwards);
    return (backwards ? before : behind).all(lastKeyByShard(start), at, key, limit, at, key, limit) as Place[];
  };
}

/** Places of conversations that something was said in since a walk began; `at` null: nothing was said in it by then. */
export type FindMoved = (start: WalkStart) => { key: number; at: number | null }[];

export function movedPlaces(db: Connection): FindMoved {
  const query = db.prepare(`WITH ${heard} SELECT key, at FROM moved`);
  return (start) => query.all(lastKeyByShard(start)) as ReturnType<FindMoved>;
}

/** In front of every place. */
export const edgeOf = (backwards: boolean): Place => {
  const edge = backwards ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  return { at: edge, key: edge };
};
