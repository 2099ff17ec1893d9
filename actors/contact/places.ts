import type { Connection } from '../store/database.ts';
import { keysPerShard } from '../store/table.ts';
import { lastKeyByShard, type WalkStart } from '../store/walk-start.ts';
import { uuidToBytes } from '../uuid.ts';

/** A contact's place in the list. */
export interface ContactPlace {
  sort: string;
  id: string;
}

/** Keys of contacts behind a place, or in front of it when `backwards`: the nearest first. Null: an end of the list. */
export type FindContacts = (
  start: WalkStart,
  from: ContactPlace | null,
  backwards: boolean,
  limit: number,
) => Iterable<number>;

const shardStarts = `start (shard, last) AS MATERIALIZED (SELECT key, value FROM json_each(@start) WHERE value IS NOT NULL)`;

/**
 * Finds contacts in the list of the moment at which a walk began. One that has not changed since has the place it had
 * then. Of the others, wherever they are by now, the place is that of the version of then: they are found by their
 * newer versions, so that writers keep no index for it.
 */
export function contactPlaces(db: Connection): FindContacts {
  const query = (comparison: '<' | '>', order: 'ASC' | 'DESC'): string => `
    WITH ${shardStarts},
      still AS (
        SELECT c.sort, c.id, c.key FROM contact c
        WHERE c.sort IS NOT NULL AND (c.sort, c.id) ${comparison} (@sort, @id)
          AND c.version <= (SELECT last FROM start WHERE shard = c.version / ${keysPerShard})
        ORDER BY c.sort ${order}, c.id ${order} LIMIT @limit),
      newer (contact, last) AS (
        SELECT DISTINCT v.contact, start.last FROM start
        CROSS JOIN contact_version v ON v.key > start.last AND v.key < (start.shard + 1) * ${keysPerShard} AND running(v.key)),
      changed AS (
        SELECT ${sortOfThen} AS sort, c.id, c.key
        FROM newer CROSS JOIN contact c ON c.key = newer.contact WHERE c.sort IS NOT NULL)
    SELECT key FROM (
      SELECT * FROM still
      UNION ALL SELECT * FROM changed WHERE sort IS NOT NULL AND (sort, id) ${comparison} (@sort, @id))
    ORDER BY sort ${order}, id ${order} LIMIT @limit`;
  const behind = db.prepare(query('>', 'ASC')).pluck();
  const before = db.prepare(query('<', 'DESC')).pluck();
  return (start, from, backwards, limit) => {
    const { sort, id } = from === null ? (backwards ? lastPlace : firstPlace) : { ...from, id: uuidToBytes(from.id) };
    const asked = { start: lastKeyByShard(start), sort, id, limit };
    return (backwards ? before : behind).all(asked) as number[];
  };
}

/** What a contact was sorted by when a walk began, of the shard's last key of then. */
const sortOfThen = `(SELECT v.sort FROM contact_version v WHERE v.contact = c.key AND v.key <= newer.last ORDER BY v.key DESC LIMIT 1)`;

const firstPlace = { sort: '', id: new Uint8Array() };
/** Behind the names, and behind what has none. */
const lastPlace = { sort: '2', id: new Uint8Array() };
