import type { Connection } from '../store/database.ts';
import type { FeedPosition } from '../store/feed.ts';
import { encodeCursor } from '../store/feed-reader.ts';
import { rowQuery } from '../store/rows.ts';
import { keysPerShard, type Rows, shardOfKey } from '../store/tables.ts';
import type {
  DeliveryRef,
  ScheduledDelivery,
  SubscriptionWork,
  WebhookDeliveryReader,
  WebhookEvent,
  WebhookEventType,
} from './contract.ts';
import { shownState, wantedTypes } from './representation.ts';

/** Feed rows that one read looks at in a shard, whether wanted or not: a few milliseconds. */
const rowsPerRead = 4096;
const rowsPerQuery = 512;
/** Characters of a page of events. */
const pageLength = 1024 * 1024;

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

interface FeedRef {
  key: number;
  subject: number;
  type: string;
}

type EventRow = Pick<Rows['feed'], 'key' | 'type' | 'payload' | 'timestamp' | 'seq'>;

/** Reads for the dispatcher of webhooks. */
export function webhookDeliveryReader(db: Connection, shards: number): WebhookDeliveryReader {
  const subscriptions = rowQuery(db, 'webhook_subscription', 'ORDER BY key');
  const headsOf = db.prepare(heads);
  const byKeys = db.prepare(
    `SELECT f.key, f.type, f.payload, f.timestamp, f.seq
     FROM json_each(?) wanted CROSS JOIN feed f ON f.key = wanted.value`,
  );
  const inShard = db.prepare('SELECT key, subject, type FROM feed WHERE key > ? AND key < ? ORDER BY key LIMIT ?');
  return {
    subscriptions: (now) => subscriptions.all().map((row) => toWork(row, now)),
    heads: (subscription) =>
      (headsOf.all({ subscription }) as (Omit<ScheduledDelivery, 'ready'> & { ready: number })[]).map((row) => ({
        ...row,
        ready: row.ready === 1,
      })),
    events(feedKeys) {
      const page = new Map<number, WebhookEvent>();
      let length = 0;
      for (const row of byKeys.iterate(JSON.stringify(feedKeys)) as IterableIterator<EventRow>) {
        const event = toEvent(row, shards);
        length += event.length;
        if (length > pageLength && page.size > 0) break;
        page.set(row.key, event);
      }
      return page;
    },
    read: (after, types, limit) =>
      readFeed((from, to, count) => inShard.all(from, to, count) as FeedRef[], shards, after, types, limit),
  };
}

function toWork(row: Rows['webhook_subscription'], now: number): SubscriptionWork {
  const previous = row.previous_key_until !== null && now < row.previous_key_until ? row.previous_key : null;
  return {
    id: row.id,
    key: row.deliveries,
    url: row.url,
    types: wantedTypes(row),
    headers: JSON.parse(row.headers) as Record<string, string>,
    signatureKeys: [row.signature_key, previous].filter((key) => key !== null),
    state: shownState(row.state),
    probing: row.state === 'probing',
    cursor: JSON.parse(row.cursor) as FeedPosition,
    ahead: JSON.parse(row.ahead) as number[],
    generation: row.generation,
  };
}

function toEvent({ key, type, payload, timestamp, seq }: EventRow, shards: number): WebhookEvent {
  return {
    type: type as WebhookEventType,
    length: payload.length,
    text(others = []) {
      const cursor = encodeCursor(positionAt(key, others, shards));
      // The payload is JSON text already: the event is put together around it.
      return `{"type":"${type}","payload":${payload},"timestamp":${timestamp},"seq":${seq},"cursor":"${cursor}"}`;
    },
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
  rowsOf: (from: number, to: number, count: number) => FeedRef[],
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
    for (let read = 0; read < rowsPerRead && items.length < full; ) {
      const rows = rowsOf(from, base + keysPerShard, rowsPerQuery);
      for (const { key, subject, type } of rows) {
        if (items.length >= full) break;
        from = key;
        if (!wanted.has(type)) continue;
        end = end.with(shard, key - base);
        items.push({ feedKey: key, lane: subject, position: end });
      }
      read += rows.length;
      if (rows.length < rowsPerQuery) break;
    }
    end = end.with(shard, from - base);
  }
  return { items, end };
}
