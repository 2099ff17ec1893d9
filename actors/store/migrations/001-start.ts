/**
 * The first schema. Hot tables have integer keys in arrival order (`shard * 2^40 + n`, so that a shard's rows stand
 * together and a change record names its keys itself); public ids are 16-byte BLOBs in secondary indexes.
 */
export const start = `
CREATE TABLE shard (
  shard INTEGER PRIMARY KEY,
  lsn INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  hash TEXT NOT NULL,
  next_key INTEGER NOT NULL,
  next_position INTEGER NOT NULL
) STRICT;

CREATE TABLE actor (
  key INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id BLOB NOT NULL,
  revision INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  machine_version INTEGER NOT NULL,
  value TEXT NOT NULL,
  context TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX actor_id ON actor (id, kind);

-- subject: the key of an actor or of a message
CREATE TABLE history (
  key INTEGER PRIMARY KEY,
  subject INTEGER NOT NULL,
  machine TEXT NOT NULL,
  revision INTEGER NOT NULL,
  event TEXT NOT NULL,
  from_value TEXT NOT NULL,
  to_value TEXT NOT NULL,
  cause TEXT NOT NULL,
  machine_version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX history_subject ON history (subject, revision);

CREATE TABLE timer (
  key INTEGER PRIMARY KEY,
  due INTEGER NOT NULL,
  actor INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  name TEXT NOT NULL
) STRICT;
CREATE INDEX timer_due ON timer (due);
CREATE UNIQUE INDEX timer_name ON timer (subject, name);

CREATE TABLE inbox (
  key INTEGER PRIMARY KEY,
  command_id BLOB NOT NULL,
  at INTEGER NOT NULL,
  reply TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX inbox_command ON inbox (command_id);

-- lane: effects of one lane are done one at a time, in the order of their keys
CREATE TABLE outbox (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  kind TEXT NOT NULL,
  lane INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_lane ON outbox (lane);
CREATE UNIQUE INDEX outbox_subject ON outbox (subject, kind);

CREATE TABLE dead_letter (
  key INTEGER PRIMARY KEY,
  command_id BLOB NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id BLOB NOT NULL,
  actor_revision INTEGER NOT NULL,
  envelope TEXT NOT NULL,
  error TEXT NOT NULL,
  at INTEGER NOT NULL,
  redriven_at INTEGER
) STRICT;
CREATE UNIQUE INDEX dead_letter_command ON dead_letter (command_id);

-- key: shard * 2^40 + position in the shard; subject: the key of the actor the event belongs to
CREATE TABLE feed (
  key INTEGER PRIMARY KEY,
  subject INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  payload TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX feed_subject ON feed (subject, seq);

CREATE TABLE source (
  key INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  action_endpoint TEXT,
  name TEXT,
  image_url TEXT,
  issued_at INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX source_source_id ON source (source_id);

CREATE TABLE parked_metadata (
  key INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  target TEXT NOT NULL,
  metadata TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX parked_metadata_target ON parked_metadata (source_id, namespace, target);

-- key: the channel's actor
CREATE TABLE channel (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  source TEXT NOT NULL,
  source_channel_id TEXT NOT NULL,
  source_id TEXT,
  connected INTEGER NOT NULL,
  token TEXT,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX channel_id ON channel (id);
CREATE UNIQUE INDEX channel_source ON channel (source, source_channel_id);

-- key: the conversation's actor
CREATE TABLE conversation (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  channel_id BLOB NOT NULL,
  source TEXT NOT NULL,
  source_conversation_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  display_name TEXT NOT NULL,
  metadata TEXT NOT NULL,
  unread_count INTEGER NOT NULL,
  workflow TEXT,
  last_message INTEGER,
  last_message_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX conversation_id ON conversation (id);
CREATE INDEX conversation_recent ON conversation (last_message_at, key);
CREATE INDEX conversation_source_id ON conversation (source_conversation_id, source);

-- delivery: the snapshot of the message's delivery machine, null for messages that the hub did not send
CREATE TABLE message (
  key INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  conversation INTEGER NOT NULL,
  source_message_id TEXT,
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
CREATE UNIQUE INDEX message_source_id ON message (source_message_id, conversation) WHERE source_message_id IS NOT NULL;

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

CREATE TABLE idempotency_key (
  key INTEGER PRIMARY KEY,
  body_hash TEXT NOT NULL,
  answer TEXT,
  at INTEGER NOT NULL
) STRICT;
`;
