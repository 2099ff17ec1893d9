import { isoTime, type WebhookDeliveryJson, type WebhookSubscriptionJson } from '../representation.ts';
import { uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import type { FeedPosition } from '../store/feed.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { rowQuery } from '../store/rows.ts';
import { keysPerShard, type Rows } from '../store/tables.ts';
import { wantedTypes, webhookSubscriptionJson } from './representation.ts';

export type WebhookDeliveryStatus = WebhookDeliveryJson['status'];

/** What a subscription still has to send. */
export interface WebhookQueue {
  /** The subscription's id. */
  subscription: string;
  /** Deliveries that failed, and those behind them. */
  scheduled: number;
  /** Feed positions from the first event that was not looked at to the feed's end. */
  behind: number;
}

export interface WebhookReader {
  find(id: string): WebhookSubscriptionJson | null;
  /** Oldest first. */
  list(): WebhookSubscriptionJson[];
  /** Newest first; key `[delivery key]`. An unknown subscription has none. */
  deliveries(id: string, query: PageQuery, filter: { status?: WebhookDeliveryStatus }): Page<WebhookDeliveryJson>;
  /** Of each subscription that is not unsubscribed. */
  queueDepth(): WebhookQueue[];
  /** Epoch ms of the oldest event that a subscription has neither delivered nor given up, null without one. */
  oldestUndelivered(id: string): number | null;
}

/** Feed rows that are looked at for the next wanted one; behind so many others its time is near enough. */
const rowsLookedAt = 512;
/** Attempts of a delivery that are shown: the probes of a dead endpoint can be many more. */
const attemptsShown = 100;
const statuses: readonly WebhookDeliveryStatus[] = ['delivered', 'scheduled', 'dead'];

export function webhookReader(db: Connection): WebhookReader {
  const byId = rowQuery(db, 'webhook_subscription', 'WHERE id = ?');
  const all = rowQuery(db, 'webhook_subscription', 'ORDER BY key');
  const find = (id: string): Rows['webhook_subscription'] | null => byId.get(uuidToBytes(id));
  const pages = deliveryPages(db);
  const nextWanted = wantedQuery(db);
  const shardRows = db.prepare('SELECT shard, next_position FROM shard ORDER BY shard');
  const scheduled = db
    .prepare("SELECT count(*) FROM webhook_delivery WHERE subscription = ? AND status = 'scheduled'")
    .pluck();
  const oldestScheduled = db
    .prepare(
      `SELECT f.timestamp FROM webhook_delivery d JOIN feed f ON f.key = d.feed_key
       WHERE d.subscription = ? AND d.status = 'scheduled' ORDER BY d.key LIMIT 1`,
    )
    .pluck();

  /** The first wanted event after the cursor in each shard that has one, and how far the shard's end is from it. */
  const ahead = (row: Rows['webhook_subscription']): { timestamp: number; behind: number }[] => {
    const cursor = JSON.parse(row.cursor) as FeedPosition;
    const ends = shardRows.all() as { shard: number; next_position: number }[];
    return ends.flatMap(({ shard, next_position: next }) => {
      const first = nextWanted(shard, cursor[shard] ?? 0, wantedTypes(row));
      return first === null ? [] : [{ timestamp: first.timestamp, behind: next - first.position }];
    });
  };

  return {
    find(id) {
      const row = find(id);
      return row === null ? null : webhookSubscriptionJson(row);
    },
    list: () => all.all().map(webhookSubscriptionJson),
    deliveries(id, query, { status }) {
      const row = find(id);
      if (row === null) return { items: [], before: null, after: null, total: 0 };
      return pages(row.deliveries, query, status === undefined ? statuses : [status]);
    },
    queueDepth: () =>
      all
        .all()
        .filter(({ state }) => state !== 'Unsubscribed')
        .map((row) => ({
          subscription: row.id,
          scheduled: scheduled.get(row.deliveries) as number,
          behind: ahead(row).reduce((sum, { behind }) => sum + behind, 0),
        })),
    oldestUndelivered(id) {
      const row = find(id);
      if (row === null) return null;
      const times = ahead(row).map(({ timestamp }) => timestamp);
      const waiting = oldestScheduled.get(row.deliveries) as number | undefined;
      if (waiting !== undefined) times.push(waiting);
      return times.length === 0 ? null : Math.min(...times);
    },
  };
}

type NextWanted = (
  shard: number,
  position: number,
  types: readonly string[],
) => { timestamp: number; position: number } | null;

function wantedQuery(db: Connection): NextWanted {
  const next = db.prepare('SELECT key, type, timestamp FROM feed WHERE key > ? AND key < ? ORDER BY key LIMIT ?');
  return (shard, position, types) => {
    const base = shard * keysPerShard;
    let looked = 0;
    let last: { key: number; type: string; timestamp: number } | null = null;
    for (const row of next.iterate(base + position, base + keysPerShard, rowsLookedAt)) {
      last = row as { key: number; type: string; timestamp: number };
      if (types.includes(last.type) || ++looked === rowsLookedAt) {
        return { timestamp: last.timestamp, position: last.key - base };
      }
    }
    return null;
  };
}

type DeliveryRow = Pick<Rows['webhook_delivery'], 'key' | 'id' | 'status' | 'feed_key'>;

/** Pages of deliveries. Each status is one range of an index in the order of keys: several are merged. */
function deliveryPages(
  db: Connection,
): (subscription: number, query: PageQuery, wanted: readonly WebhookDeliveryStatus[]) => Page<WebhookDeliveryJson> {
  const older = rowQuery(
    db,
    'webhook_delivery',
    'WHERE subscription = ? AND status = ? AND key < ? ORDER BY key DESC LIMIT ?',
  );
  const newer = rowQuery(
    db,
    'webhook_delivery',
    'WHERE subscription = ? AND status = ? AND key > ? ORDER BY key LIMIT ?',
  );
  const count = db.prepare('SELECT count(*) FROM webhook_delivery WHERE subscription = ? AND status = ?').pluck();
  const attempts = rowQuery(db, 'webhook_attempt', 'WHERE delivery = ? ORDER BY key DESC LIMIT ?');
  const event = db.prepare('SELECT type, seq FROM feed WHERE key = ?');
  const toJson = (row: DeliveryRow): WebhookDeliveryJson => ({
    id: row.id,
    // An event that is no longer kept has no name either.
    event: (event.get(row.feed_key) as { type: string; seq: number } | undefined) ?? { type: 'unknown', seq: null },
    status: row.status,
    attempts: attempts
      .all(row.key, attemptsShown)
      .reverse()
      .map(({ at, duration_ms, status, reason, answer }) => ({ at: isoTime(at), duration_ms, status, reason, answer })),
  });
  return (subscription, query, wanted) =>
    pageOf(
      query,
      (from, backwards, limit) => {
        const edge = from?.[0] ?? Number.MAX_SAFE_INTEGER;
        return wanted
          .flatMap((status) => (backwards ? newer : older).all(subscription, status, edge, limit))
          .sort((a, b) => (backwards ? a.key - b.key : b.key - a.key))
          .slice(0, limit);
      },
      (row) => [row.key],
      toJson,
      wanted.reduce((sum, status) => sum + (count.get(subscription, status) as number), 0),
    );
}
