import { actorColumns } from './actor-columns.ts';

/**
 * The first schema. Hot tables have integer keys in arrival order (`shard * 2^40 + n`, so that a shard's rows stand
 * together and a change record names its keys itself); public ids are 16-byte BLOBs in secondary indexes.
 */
export const start = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE shard (
  shard INTEGER PRIMARY KEY,
  lsn INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  hash TEXT NOT NULL,
  next_key INTEGER NOT NULL,
  next_position INTEGER NOT NULL,
  horizon INTEGER NOT NULL,
  time INTEGER NOT NULL,
  sums TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;

-- one row a turn: steps, events and answers; key: shard * 2^40 + position of its first event
CREATE TABLE journal (
  key INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  actor INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  skip INTEGER,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  cause TEXT NOT NULL,
  command BLOB NOT NULL,
  steps TEXT,
  events TEXT,
  answer TEXT,
  rows TEXT,
  hash TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_answer ON journal (command) WHERE answer IS NOT NULL;

-- states that the kept turns of a subject start from
CREATE TABLE base (
  key INTEGER PRIMARY KEY,
  actor INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  machine_version INTEGER NOT NULL,
  value TEXT NOT NULL,
  context TEXT NOT NULL,
  chain TEXT,
  turns INTEGER,
  seq INTEGER,
  row TEXT
) STRICT;

-- moments of a shard's own time, which retention counts with
CREATE TABLE mark (
  key INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  next_key INTEGER NOT NULL,
  next_position INTEGER NOT NULL
) STRICT;

CREATE TABLE timer (
  key INTEGER PRIMARY KEY,
  due INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  name TEXT NOT NULL
) STRICT;
CREATE INDEX timer_due ON timer (due);
CREATE UNIQUE INDEX timer_name ON timer (subject, name);

-- lane: effects of one lane are done one at a time, in the order of their keys
CREATE TABLE outbox (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  kind TEXT NOT NULL,
  lane INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  body TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_lane ON outbox (lane);
CREATE INDEX outbox_subject ON outbox (subject, kind);

CREATE TABLE dead_letter (
  key INTEGER PRIMARY KEY,
  command_id BLOB NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id BLOB NOT NULL,
  actor_revision INTEGER NOT NULL,
  envelope TEXT NOT NULL,
  error TEXT NOT NULL,
  at INTEGER NOT NULL,
  redriven_at INTEGER,
  answer TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX dead_letter_command ON dead_letter (command_id);

CREATE TABLE source (${actorColumns},
  source_id TEXT NOT NULL,
  action_endpoint TEXT,
  name TEXT,
  image_url TEXT,
  issued_at INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX source_actor ON source (id);
CREATE UNIQUE INDEX source_source_id ON source (source_id);

-- what a source has said about a conversation or message that has not appeared; conversation, channel: where named
CREATE TABLE parked_metadata (
  key INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  target TEXT NOT NULL,
  conversation TEXT,
  channel BLOB,
  said TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX parked_metadata_target ON parked_metadata (source_id, namespace, target);

CREATE TABLE channel (${actorColumns},
  source TEXT NOT NULL,
  source_channel_id TEXT NOT NULL,
  source_id TEXT,
  connected INTEGER NOT NULL,
  token TEXT,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX channel_actor ON channel (id);
CREATE UNIQUE INDEX channel_source ON channel (source, source_channel_id);

-- created_at: null until it has appeared; agent_name: what an agent calls the contact; messages: how many it has
CREATE TABLE conversation (${actorColumns},
  channel_id BLOB,
  source TEXT NOT NULL,
  source_conversation_id TEXT NOT NULL,
  created_at INTEGER,
  agent_name TEXT,
  display_name TEXT NOT NULL,
  metadata TEXT NOT NULL,
  unread_count INTEGER NOT NULL,
  workflow TEXT,
  messages INTEGER NOT NULL,
  last_message INTEGER,
  last_message_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX conversation_actor ON conversation (id);
CREATE INDEX conversation_recent ON conversation (last_message_at, key) WHERE created_at IS NOT NULL;
CREATE INDEX conversation_source_id ON conversation (source_conversation_id, source) WHERE created_at IS NOT NULL;

-- turn: the one that took it in; echo_id: another id by which its source's echo of it is known; delivery: the machine's state of a message that the hub sends, else null
CREATE TABLE message (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  conversation INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  source_message_id TEXT,
  echo_id BLOB,
  sent_at INTEGER NOT NULL,
  from_contact INTEGER NOT NULL,
  sender TEXT NOT NULL,
  content TEXT NOT NULL,
  metadata TEXT NOT NULL,
  state TEXT NOT NULL,
  delivery TEXT
) STRICT;
CREATE UNIQUE INDEX message_id ON message (id);
CREATE INDEX message_order ON message (conversation, sent_at);
-- ids that a source gave to messages of ours; those of its own messages are part of the message's id
CREATE UNIQUE INDEX message_source_id ON message (source_message_id, conversation)
  WHERE delivery IS NOT NULL AND source_message_id IS NOT NULL;

CREATE UNIQUE INDEX message_echo ON message (echo_id) WHERE echo_id IS NOT NULL;

-- messages of sources that may be the echo of a send whose answer has not come
CREATE TABLE parked_echo (
  key INTEGER PRIMARY KEY,
  actor INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  message_id BLOB NOT NULL,
  source_message_id TEXT NOT NULL,
  sender_id TEXT NOT NULL,
  content TEXT NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX parked_echo_message ON parked_echo (message_id);
CREATE INDEX parked_echo_actor ON parked_echo (actor);

-- sends that wait for their conversation to appear
CREATE TABLE parked_send (
  key INTEGER PRIMARY KEY,
  actor INTEGER NOT NULL,
  message_id BLOB NOT NULL,
  sender TEXT NOT NULL,
  content TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX parked_send_actor ON parked_send (actor);

CREATE TABLE idempotency_key (${actorColumns},
  body_hash TEXT NOT NULL,
  answer TEXT,
  claimed_at INTEGER NOT NULL,
  generation INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX idempotency_key_actor ON idempotency_key (id);

-- ahead: feed keys behind the cursor that are accounted for all the same; deliveries: what its deliveries carry as
-- subscription, another one after a deletion
CREATE TABLE webhook_subscription (${actorColumns},
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
  missed INTEGER NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_subscription_actor ON webhook_subscription (id);
CREATE INDEX webhook_subscription_deliveries ON webhook_subscription (deliveries);

-- machine: the state of the delivery's machine, null for one that never failed; ready: 0 while it backs off
CREATE TABLE webhook_delivery (
  key INTEGER PRIMARY KEY,
  actor INTEGER NOT NULL,
  subscription INTEGER NOT NULL,
  feed_key INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  status TEXT NOT NULL,
  ready INTEGER NOT NULL,
  machine TEXT,
  at INTEGER NOT NULL
) STRICT;
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
