import { encodeCursor } from '../journal/cursor.ts';
import type { FeedPosition } from '../journal/feed.ts';
import { eventText } from '../journal/feed-reader.ts';
import { unpackEvents } from '../journal/turn.ts';
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
  const turnAt = db.prepare(
    'SELECT key, kind, actor, at, events FROM journal WHERE key <= ? AND key > ? ORDER BY key DESC LIMIT 1',
  );
  const inShard = db.prepare(
    `SELECT key, kind, actor, at, events FROM journal
     WHERE key >= ? AND key < ? AND events IS NOT NULL ORDER BY key LIMIT ?`,
  );
  const turnOf = (feedKey: number): TurnRow | undefined =>
    turnAt.get(feedKey, feedKey - keysPerShard) as TurnRow | undefined;
  return {
    subscriptions: (now) => all.all().map((row) => toWork(row, now)),
    heads: (subscription) =>
      (headsOf.all({ subscription }) as (Omit<ScheduledDelivery, 'ready'> & { ready: number })[]).map((row) => ({
        ...row,
        ready: row.ready === 1,
      })),
    events(feedKeys) {
      const page = new Map<number, WebhookEvent>();
      let length = 0;
      let turn: TurnRow | undefined;
      for (const feedKey of feedKeys) {
        // Keys of one turn stand together.
        if (turn === undefined || !holds(turn, feedKey)) turn = turnOf(feedKey);
        const event = turn && eventOf(turn, feedKey, { shards, instance, render });
        if (!event) continue;
        length += event.length;
        if (length > pageLength && page.size > 0) break;
        page.set(feedKey, event);
      }
      return page;
    },
    read(after, types, limit) {
      const rows = (from: number, to: number, count: number): TurnRow[] => {
        // A position may stand inside a turn, whose other events are still to be read.
        const first = turnOf(from)?.key ?? from;
        return inShard.all(Math.max(first, to - keysPerShard), to, count) as TurnRow[];
      };
      return readFeed(rows, shards, after, types, limit);
    },
  };
}

const holds = ({ key, events }: TurnRow, feedKey: number): boolean =>
  feedKey >= key && feedKey < key + unpackEvents(events).length;

function eventOf(turn: TurnRow, feedKey: number, { shards, instance, render }: ReaderParts): WebhookEvent | null {
  const event = unpackEvents(turn.events)[feedKey - turn.key];
  if (event === undefined) return null;
  const { payload } = render(turn.kind, turn.actor, event);
  return {
    type: event.type as WebhookEventType,
    length: payload.length,
    text: (others = []) =>
      eventText(event, payload, turn.at, encodeCursor(instance, positionAt(feedKey, others, shards))),
  };
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
  rowsOf: (from: number, to: number, count: number) => TurnRow[],
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
    let from = base + end[shard]!;
    for (let read = 0; read < turnsPerRead && items.length < full; ) {
      const rows = rowsOf(from + 1, base + keysPerShard, turnsPerQuery);
      for (const row of rows) {
        for (const [i, { type }] of unpackEvents(row.events).entries()) {
          const key = row.key + i;
          if (key <= from || items.length >= full) continue;
          from = key;
          if (!wanted.has(type)) continue;
          end = end.with(shard, key - base);
          items.push({ feedKey: key, lane: row.actor, position: end });
        }
      }
      read += rows.length;
      if (rows.length < turnsPerQuery) break;
    }
    end = end.with(shard, from - base);
  }
  return { items, end };
}
