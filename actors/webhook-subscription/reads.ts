import type { FeedPosition } from '../journal/feed.ts';
import { unpackEvents } from '../journal/turn.ts';
import type { Lagging } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { keysPerShard, shardOfKey } from '../store/table.ts';
import { uuidFromBytes } from '../uuid.ts';
import { webhookDeliveries, type WebhookDeliveryRow } from './tables.ts';

/** What the handlers of a webhook subscription read. */
export interface SubscriptionReads {
  delivery(subscription: number, feedKey: number): WebhookDeliveryRow | null;
  deliveryByKey(key: number): WebhookDeliveryRow | null;
  /** The scheduled deliveries of a subscription that back off. */
  deliveriesHeld(subscription: number): WebhookDeliveryRow[];
  /**
   * Keys of deliveries of an actor that nobody needs: older than `before` (a key) and not scheduled, or of a subscription
   * that was deleted.
   */
  prunable(actor: number, before: number, limit: number): number[];
  attemptsOf(delivery: number): number[];
  /**
   * Feed keys of events of some types behind a position of a shard and before another one, of a bounded number of turns.
   * `upTo`: the position that this got to.
   */
  wanted(shard: number, after: number, before: number, types: readonly string[]): { keys: number[]; upTo: number };
  timersOf(delivery: number): number[];
}

/** Turns that one command counts the events of: a few milliseconds. */
const turnsCounted = 4_096;

/** One seek for each subscription that has deliveries, however many it has. */
const orphaned = `
  WITH RECURSIVE present(subscription) AS (
    SELECT min(subscription) FROM webhook_delivery WHERE subscription >= @from
    UNION ALL
    SELECT (SELECT min(subscription) FROM webhook_delivery WHERE subscription > present.subscription)
    FROM present WHERE present.subscription < @to
  )
  SELECT subscription FROM present WHERE subscription < @to
    AND NOT EXISTS (SELECT 1 FROM webhook_subscription s WHERE s.deliveries = present.subscription)`;

const rangeOf = (key: number): { from: number; to: number } => {
  const from = shardOfKey(key) * keysPerShard;
  return { from, to: from + keysPerShard };
};

export function subscriptionReads(db: Connection): SubscriptionReads {
  const delivery = webhookDeliveries.query(db, 'WHERE subscription = ? AND feed_key = ?');
  const byKey = webhookDeliveries.query(db, 'WHERE key = ?');
  const held = webhookDeliveries.query(
    db,
    "WHERE subscription = ? AND status = 'scheduled' AND ready = 0 ORDER BY key",
  );
  const old = db
    .prepare(
      `SELECT key FROM webhook_delivery
       WHERE key >= @from AND key < @before AND actor = @actor AND status <> 'scheduled' ORDER BY key LIMIT @limit`,
    )
    .pluck();
  const orphans = db
    .prepare(`SELECT key FROM webhook_delivery WHERE subscription IN (${orphaned}) AND actor = @actor LIMIT @limit`)
    .pluck();
  const attempts = db.prepare('SELECT key FROM webhook_attempt WHERE delivery = ?').pluck();
  const timers = db.prepare('SELECT key FROM timer WHERE subject = ?').pluck();
  const wanted = wantedReads(db);
  return {
    delivery: (subscription, feedKey) => delivery.get(subscription, feedKey),
    deliveryByKey: (key) => byKey.get(key),
    deliveriesHeld: (subscription) => held.all(subscription),
    prunable(actor, before, limit) {
      const keys = orphans.all({ ...rangeOf(actor), actor, limit }) as number[];
      if (keys.length > 0) return keys;
      const { from } = rangeOf(actor);
      return old.all({ from, before, actor, limit }) as number[];
    },
    wanted,
    attemptsOf: (key) => attempts.all(key) as number[],
    timersOf: (key) => timers.all(key) as number[],
  };
}

function wantedReads(db: Connection): SubscriptionReads['wanted'] {
  // A position may stand inside a turn, whose other events are behind it.
  const turns = db.prepare(
    `SELECT key, events FROM journal
     WHERE key >= ifnull((SELECT max(key) FROM journal WHERE key <= @after AND key >= @base), @after)
       AND key < @before AND events IS NOT NULL ORDER BY key LIMIT ${turnsCounted}`,
  );
  return (shard, after, before, types) => {
    const base = shard * keysPerShard;
    const rows = turns.all({ base, after: base + after, before: base + before }) as { key: number; events: string }[];
    const events = rows.flatMap(({ key, events }) =>
      unpackEvents(events).map(({ type }, i) => ({ type, key: key + i })),
    );
    const keys = events.filter(({ type, key }) => key > base + after && types.includes(type)).map(({ key }) => key);
    return { keys, upTo: rows.length < turnsCounted ? before - 1 : events.at(-1)!.key - base };
  };
}

/** Of actors that exist, those whose cursor stands before the last position that goes. */
export function laggingSubscriptions(db: Connection): (shard: number, before: number) => Lagging[] {
  const all = db.prepare('SELECT id, cursor FROM webhook_subscription WHERE deleted = 0 ORDER BY key');
  return (shard, before) =>
    (all.all() as { id: Uint8Array; cursor: string }[])
      .map(({ id, cursor }) => ({ id: uuidFromBytes(id), at: (JSON.parse(cursor) as FeedPosition)[shard] ?? 0 }))
      .filter(({ at }) => at < before - 1);
}

/** Rows that one look for prunable actors takes in. */
const lookedAt = 200;

/** Ids of the actors of a shard that have deliveries which nobody needs. */
export function prunableSubscriptions(db: Connection): (shard: number, before: number) => string[] {
  const old = db
    .prepare(
      `SELECT s.id FROM (
         SELECT DISTINCT actor FROM (
           SELECT actor FROM webhook_delivery
           WHERE key >= ? AND key < ? AND status <> 'scheduled' ORDER BY key LIMIT ${lookedAt}))
       JOIN webhook_subscription s ON s.key = actor`,
    )
    .pluck();
  const orphans = db
    .prepare(
      `SELECT DISTINCT s.id FROM webhook_delivery d JOIN webhook_subscription s ON s.key = d.actor
       WHERE d.subscription IN (${orphaned} LIMIT 1)`,
    )
    .pluck();
  return (shard, before) => {
    const { from, to } = rangeOf(shard * keysPerShard);
    const ids = [...old.all(from, before), ...orphans.all({ from, to })] as Uint8Array[];
    return [...new Set(ids.map(uuidFromBytes))];
  };
}
