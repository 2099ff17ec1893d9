import { jsonText } from '../json.ts';
import { isoTime, type WebhookDeliveryJson, type WebhookSubscriptionJson } from '../representation.ts';
import { uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import type { FeedPosition } from '../journal/feed.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { keysPerShard } from '../store/table.ts';
import { deliveryId } from '../ids.ts';
import { unpackEvents } from '../journal/turn.ts';
import { wantedTypes, webhookSubscriptionJson } from './representation.ts';
import {
  type SubscriptionRow,
  subscriptions,
  webhookAttempts,
  webhookDeliveries,
  type WebhookDeliveryRow,
} from './tables.ts';

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
  const byId = subscriptions.query(db, 'WHERE id = ? AND deleted = 0');
  const all = subscriptions.query(db, 'WHERE deleted = 0 ORDER BY created_at, key');
  const find = (id: string): SubscriptionRow | null => byId.get(uuidToBytes(id));
  const pages = deliveryPages(db);
  const nextWanted = wantedQuery(db);
  const shardRows = db.prepare('SELECT shard, next_position FROM shard ORDER BY shard');
  const scheduled = db
    .prepare("SELECT count(*) FROM webhook_delivery WHERE subscription = ? AND status = 'scheduled'")
    .pluck();
  const oldestScheduled = db
    .prepare(
      `SELECT (SELECT at FROM journal WHERE key <= d.feed_key ORDER BY key DESC LIMIT 1)
       FROM webhook_delivery d WHERE d.subscription = ? AND d.status = 'scheduled' ORDER BY d.key LIMIT 1`,
    )
    .pluck();

  /** The first wanted event after the cursor in each shard that has one, and how far the shard's end is from it. */
  const ahead = (row: SubscriptionRow): { timestamp: number; behind: number }[] => {
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
      return pages(row, query, status === undefined ? statuses : [status]);
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
  const next = db.prepare(
    `SELECT key, at, events FROM journal WHERE key > ? AND key < ? AND events IS NOT NULL ORDER BY key LIMIT ?`,
  );
  return (shard, position, types) => {
    const base = shard * keysPerShard;
    let looked = 0;
    for (const row of next.iterate(base + position, base + keysPerShard, rowsLookedAt)) {
      const { key, at, events } = row as { key: number; at: number; events: string };
      if (++looked === rowsLookedAt || unpackEvents(events).some(({ type }) => types.includes(type))) {
        return { timestamp: at, position: key - base };
      }
    }
    return null;
  };
}

/** Pages of deliveries. Each status is one range of an index in the order of keys: several are merged. */
function deliveryPages(
  db: Connection,
): (of: SubscriptionRow, query: PageQuery, wanted: readonly WebhookDeliveryStatus[]) => Page<WebhookDeliveryJson> {
  const older = webhookDeliveries.query(
    db,
    'WHERE subscription = ? AND status = ? AND key < ? ORDER BY key DESC LIMIT ?',
  );
  const newer = webhookDeliveries.query(db, 'WHERE subscription = ? AND status = ? AND key > ? ORDER BY key LIMIT ?');
  const count = db.prepare('SELECT count(*) FROM webhook_delivery WHERE subscription = ? AND status = ?').pluck();
  const attempts = webhookAttempts.query(db, 'WHERE delivery = ? ORDER BY key DESC LIMIT ?');
  const turn = db.prepare('SELECT key, events FROM journal WHERE key <= ? AND key > ? ORDER BY key DESC LIMIT 1');
  const eventAt = (feedKey: number): { type: string; seq: number | null } => {
    const row = turn.get(feedKey, feedKey - keysPerShard) as { key: number; events: string | null } | undefined;
    const event = row && unpackEvents(row.events)[feedKey - row.key];
    // An event that is no longer kept has no name either.
    return event === undefined ? { type: 'unknown', seq: null } : { type: event.type, seq: event.seq };
  };
  const toJson = (row: WebhookDeliveryRow, subscription: string): WebhookDeliveryJson => ({
    id: deliveryId(subscription, row.feed_key),
    event: eventAt(row.feed_key),
    status: row.status,
    attempts: attempts
      .all(row.key, attemptsShown)
      .reverse()
      .map(({ at, duration_ms, status, reason, answer }) => ({ at: isoTime(at), duration_ms, status, reason, answer })),
  });
  return ({ id, deliveries: subscription }, query, wanted) =>
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
      (row) => jsonText(toJson(row, id)),
      wanted.reduce((sum, status) => sum + (count.get(subscription, status) as number), 0),
    );
}
