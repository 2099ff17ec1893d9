import type { Connection } from './database.ts';
import { keysPerShard } from './tables.ts';

/** What can be pruned of the deliveries of webhooks in a shard. */
export interface WebhookPruning {
  /** Deliveries made before `before` (epoch ms), in the order of their keys after `after`; `finished`: not scheduled. */
  old(shard: number, after: number, before: number, limit: number): { key: number; finished: boolean }[];
  /** Keys of deliveries whose subscription was deleted. */
  orphans(shard: number, limit: number): number[];
  attemptsOf(delivery: number): number[];
  timersOf(delivery: number): number[];
}

/** One seek for each subscription that has deliveries, however many it has. */
const orphanSubscriptions = `
  WITH RECURSIVE present(subscription) AS (
    SELECT min(subscription) FROM webhook_delivery WHERE subscription >= @from
    UNION ALL
    SELECT (SELECT min(subscription) FROM webhook_delivery WHERE subscription > present.subscription)
    FROM present WHERE present.subscription < @to
  )
  SELECT subscription FROM present WHERE subscription < @to
    AND NOT EXISTS (SELECT 1 FROM webhook_subscription s WHERE s.deliveries = present.subscription)
  LIMIT 1`;

export function webhookPruning(db: Connection): WebhookPruning {
  const old = db.prepare(
    // Rows stand in the order of their age: the scan stops at the first young one.
    `SELECT key, status <> 'scheduled' AS finished
     FROM (SELECT key, status, at FROM webhook_delivery WHERE key > ? AND key < ? ORDER BY key LIMIT ?) WHERE at < ?`,
  );
  const orphan = db.prepare(orphanSubscriptions).pluck();
  const ofSubscription = db.prepare('SELECT key FROM webhook_delivery WHERE subscription = ? LIMIT ?').pluck();
  const attempts = db.prepare('SELECT key FROM webhook_attempt WHERE delivery = ?').pluck();
  const timers = db.prepare('SELECT key FROM timer WHERE subject = ?').pluck();
  return {
    old(shard, after, before, limit) {
      const from = Math.max(after, shard * keysPerShard);
      const rows = old.all(from, (shard + 1) * keysPerShard, limit, before) as { key: number; finished: number }[];
      return rows.map(({ key, finished }) => ({ key, finished: finished === 1 }));
    },
    orphans(shard, limit) {
      const subscription = orphan.get({ from: shard * keysPerShard, to: (shard + 1) * keysPerShard });
      return subscription === undefined ? [] : (ofSubscription.all(subscription, limit) as number[]);
    },
    attemptsOf: (delivery) => attempts.all(delivery) as number[],
    timersOf: (delivery) => timers.all(delivery) as number[],
  };
}
