import { encodeCursor } from '../journal/cursor.ts';
import type { FeedPosition } from '../journal/feed.ts';
import { eventText } from '../journal/feed-reader.ts';
import { type TurnEvent, unpackEvents } from '../journal/turn.ts';
import type { ReaderParts } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { keysPerShard, shardOfKey } from '../store/table.ts';
import type { JournalRow } from '../store/tables.ts';
import type {
  DeliveryRef,
  ScheduledDelivery,
  SubscriptionWork,
  WebhookDeliveryReader,
  WebhookEvent,
  WebhookEventType,
} from './contract.ts';
import { shownState, wantedTypes } from './representation.ts';
import { type SubscriptionRow, subscriptions } from './tables.ts';

/** Characters of a page of events. */
const pageLength = 1024 * 1024;
/** Turns that one read looks at in a shard, whether wanted or not: a few milliseconds. */
const turnsPerRead = 4096;
const turnsPerQuery = 512;

/**
 * Lane after lane by one seek each, however many deliveries wait behind a lane's head. SQLite's `min` gives the head;
 * `ready` is in the index.
 */
const heads = `
  WITH RECURSIVE lanes(lane) AS (
    SELECT min(lane) FROM webhook_delivery WHERE status = 'scheduled' AND subscription = @subscription
    UNION ALL
    SELECT (SELECT min(lane) FROM webhook_delivery
            WHERE status = 'scheduled' AND subscription = @subscription AND lane > lanes.lane)
    FROM lanes WHERE lanes.lane IS NOT NULL
  )
  SELECT d.key, d.feed_key AS feedKey, d.lane, d.ready FROM lanes JOIN webhook_delivery d ON d.key = (
    SELECT key FROM webhook_delivery
    WHERE status = 'scheduled' AND subscription = @subscription AND lane = lanes.lane ORDER BY feed_key LIMIT 1)
  ORDER BY d.feed_key`;

type TurnRow = Pick<JournalRow, 'key' | 'kind' | 'actor' | 'at' | 'events'>;

/** Reads for the dispatcher of webhooks. */
export function webhookDeliveryReader(
  db: Connection,
  { shards, instance, render }: ReaderParts,
): WebhookDeliveryReader {
  const all = subscriptions.query(db, 'WHERE deleted = 0 ORDER BY key');
  const headsOf = db.prepare(heads);
  const byFeedKeys = db.prepare(
    `SELECT wanted.value AS feedKey, j.key, kind, actor, at, events FROM json_each(?) wanted CROSS JOIN journal j ON j.key =
       (SELECT key FROM journal WHERE key <= wanted.value ORDER BY key DESC LIMIT 1)`,
  );
  const turnAt = db.prepare('SELECT key FROM journal WHERE key <= ? AND key >= ? ORDER BY key DESC LIMIT 1').pluck();
  const inShard = db.prepare(
    `SELECT key, kind, actor, at, events FROM journal
     WHERE key >= ? AND key < ? AND events IS NOT NULL ORDER BY key LIMIT ?`,
  );
  const turns: Turns = {
    at: (feedKey, base) => (turnAt.get(feedKey, base) as number | undefined) ?? null,
    from: (key, base, count) => inShard.all(key, base + keysPerShard, count) as TurnRow[],
  };
  return {
    subscriptions: (now) => all.all().map((row) => toWork(row, now)),
    heads: (subscription) =>
      (headsOf.all({ subscription }) as (Omit<ScheduledDelivery, 'ready'> & { ready: number })[]).map((row) => ({
        ...row,
        ready: row.ready === 1,
      })),
    // One moment, and one look at what is committed, for all statements of a page.
    events: db.transaction((feedKeys: readonly number[]) => {
      const page = new Map<number, WebhookEvent>();
      let length = 0;
      const rows = byFeedKeys.all(JSON.stringify(feedKeys)) as (TurnRow & { feedKey: number })[];
      for (const { feedKey, turn, event } of eventsIn(rows)) {
        const { type, seq } = event;
        const told = { type, seq, ...render(turn.kind, turn.actor, event), timestamp: turn.at };
        length += told.payload.length;
        if (length > pageLength && page.size > 0) break;
        const text = (others: FeedPosition = []): string =>
          eventText(told, encodeCursor(instance, positionAt(feedKey, others, shards)));
        page.set(feedKey, { type: type as WebhookEventType, length: told.payload.length, text });
      }
      return page;
    }),
    read: db.transaction((after: FeedPosition, types: readonly WebhookEventType[], limit: number) =>
      readFeed(turns, shards, after, types, limit),
    ),
  };
}

/** Turns of a shard, whose keys begin at `base`. */
interface Turns {
  /** Key of the turn at or before a feed key; null: there is none. */
  at(feedKey: number, base: number): number | null;
  /** Those with events, from a key on. */
  from(key: number, base: number, count: number): TurnRow[];
}

/** The events that feed keys name, of the turns at or before them. */
function* eventsIn(
  rows: readonly (TurnRow & { feedKey: number })[],
): Iterable<{ feedKey: number; turn: TurnRow; event: TurnEvent }> {
  let key = -1;
  let events: TurnEvent[] = [];
  for (const turn of rows) {
    // Keys of one turn stand together.
    if (turn.key !== key) events = unpackEvents(turn.events);
    key = turn.key;
    const event = events[turn.feedKey - key];
    if (event !== undefined) yield { feedKey: turn.feedKey, turn, event };
  }
}

function toWork(row: SubscriptionRow, now: number): SubscriptionWork {
  const until = row.previous_key_until;
  const previous = until !== null && now < until ? row.previous_key : null;
  return {
    id: row.id,
    key: row.deliveries,
    url: row.url,
    types: wantedTypes(row),
    headers: JSON.parse(row.headers) as Record<string, string>,
    signatureKeys: [row.signature_key, previous].filter((key) => key !== null),
    signatureKeysUntil: previous === null ? null : until,
    state: shownState(row.state),
    probing: row.state === 'probing',
    cursor: JSON.parse(row.cursor) as FeedPosition,
    ahead: JSON.parse(row.ahead) as number[],
    generation: row.generation,
    missed: row.missed,
  };
}

/** The position right after a feed row. */
function positionAt(feedKey: number, others: FeedPosition, shards: number): FeedPosition {
  const own = shardOfKey(feedKey);
  return Array.from({ length: shards }, (_, shard) =>
    shard === own ? feedKey - own * keysPerShard : (others[shard] ?? 0),
  );
}

/** Shard after shard, each with its share of the limit, so that a busy one does not hide the others. */
function readFeed(
  turns: Turns,
  shards: number,
  after: FeedPosition,
  types: readonly WebhookEventType[],
  limit: number,
): ReturnType<WebhookDeliveryReader['read']> {
  const wanted = new Set<string>(types);
  const items: (DeliveryRef & { position: FeedPosition })[] = [];
  let end: FeedPosition = Array.from({ length: shards }, (_, shard) => after[shard] ?? 0);
  for (let shard = 0; shard < shards; shard++) {
    const base = shard * keysPerShard;
    const full = items.length + Math.ceil((limit - items.length) / (shards - shard));
    let at = base + end[shard]!;
    for (const { key, type, lane } of eventsAfter(turns, at, base, full - items.length)) {
      if (items.length >= full) break;
      at = key;
      if (!wanted.has(type)) continue;
      end = end.with(shard, key - base);
      items.push({ feedKey: key, lane, position: end });
    }
    end = end.with(shard, at - base);
  }
  return { items, end };
}

/** Events of a shard behind a feed key; of a bounded number of turns, which are read a few at a time. */
function* eventsAfter(
  turns: Turns,
  after: number,
  base: number,
  wanted: number,
): Iterable<{ key: number; type: string; lane: number }> {
  // One more than events are wanted: the first turn may have none behind the key.
  const count = Math.min(turnsPerQuery, wanted + 1);
  let from = turns.at(after, base) ?? after + 1;
  for (let read = 0; read < turnsPerRead; read += count) {
    const rows = turns.from(from, base, count);
    for (const { key, actor, events } of rows) {
      for (const [i, { type }] of unpackEvents(events).entries()) {
        if (key + i > after) yield { key: key + i, type, lane: actor };
      }
      from = key + 1;
    }
    if (rows.length < count) return;
  }
}
