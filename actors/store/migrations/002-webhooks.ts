/** Outbound webhooks (decisions.md §9): subscriptions, what was or is to be delivered to them, and each attempt. */
export const webhooks = `
-- key: the subscription's actor; ahead: feed keys behind the cursor that are accounted for all the same;
-- deliveries: what its deliveries carry as subscription, another one after a deletion
CREATE TABLE webhook_subscription (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  name TEXT,
  url TEXT NOT NULL,
  events TEXT,
  headers TEXT NOT NULL,
  signature_key TEXT,
  previous_key TEXT,
  previous_key_until INTEGER,
  cursor TEXT NOT NULL,
  ahead TEXT NOT NULL,
  generation INTEGER NOT NULL,
  deliveries INTEGER NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_subscription_id ON webhook_subscription (id);
CREATE UNIQUE INDEX webhook_subscription_deliveries ON webhook_subscription (deliveries);

-- machine: the snapshot of the delivery's machine, null for one that never failed; ready: 0 while it backs off
CREATE TABLE webhook_delivery (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  subscription INTEGER NOT NULL,
  feed_key INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  status TEXT NOT NULL,
  ready INTEGER NOT NULL,
  machine TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_delivery_id ON webhook_delivery (id);
CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (subscription, feed_key);
CREATE INDEX webhook_delivery_status ON webhook_delivery (subscription, status);
CREATE INDEX webhook_delivery_lane ON webhook_delivery (subscription, lane, feed_key, ready) WHERE status = 'scheduled';
CREATE INDEX webhook_delivery_held ON webhook_delivery (subscription) WHERE status = 'scheduled' AND ready = 0;

CREATE TABLE webhook_attempt (
  key INTEGER PRIMARY KEY,
  delivery INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status INTEGER,
  reason TEXT,
  answer TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_attempt_delivery ON webhook_attempt (delivery);
`;
