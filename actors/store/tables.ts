/** The rows that actors write, table by table, and how their columns are stored. */

export interface Rows {
  shard: { shard: number; lsn: number; epoch: number; hash: string; next_key: number; next_position: number };
  actor: {
    key: number;
    kind: string;
    id: string;
    revision: number;
    seq: number;
    machine_version: number;
    value: string;
    context: string;
  };
  history: {
    key: number;
    subject: number;
    machine: string;
    revision: number;
    event: string;
    from_value: string;
    to_value: string;
    cause: string;
    machine_version: number;
    at: number;
    hash: string;
  };
  timer: { key: number; due: number; actor: number; subject: number; name: string };
  inbox: { key: number; command_id: string; at: number; reply: string };
  outbox: { key: number; id: string; kind: string; lane: number; subject: number; ready: number; at: number };
  dead_letter: {
    key: number;
    command_id: string;
    actor_kind: string;
    actor_id: string;
    actor_revision: number;
    envelope: string;
    error: string;
    at: number;
    redriven_at: number | null;
  };
  feed: { key: number; subject: number; seq: number; type: string; timestamp: number; payload: string };
  source: {
    key: number;
    source_id: string;
    action_endpoint: string | null;
    name: string | null;
    image_url: string | null;
    issued_at: number;
    deleted: number;
  };
  parked_metadata: {
    key: number;
    source_id: string;
    namespace: string;
    target: string;
    metadata: string;
    at: number;
  };
  channel: {
    key: number;
    id: string;
    source: string;
    source_channel_id: string;
    source_id: string | null;
    connected: number;
    token: string | null;
    metadata: string;
    created_at: number;
  };
  conversation: {
    key: number;
    id: string;
    channel_id: string;
    source: string;
    source_conversation_id: string;
    created_at: number;
    display_name: string;
    metadata: string;
    unread_count: number;
    workflow: string | null;
    last_message: number | null;
    last_message_at: number;
  };
  message: {
    key: number;
    id: string;
    conversation: number;
    source_message_id: string | null;
    sent_at: number;
    from_contact: number;
    sender: string;
    content: string;
    metadata: string;
    state: string;
    delivery: string | null;
  };
  parked_send: { key: number; actor: number; message_id: string; sender: string; content: string; at: number };
  idempotency_key: { key: number; body_hash: string; answer: string | null; at: number };
  webhook_subscription: {
    key: number;
    id: string;
    name: string | null;
    url: string;
    events: string | null;
    headers: string;
    signature_key: string | null;
    previous_key: string | null;
    previous_key_until: number | null;
    cursor: string;
    ahead: string;
    generation: number;
    deliveries: number;
    state: string;
    created_at: number;
  };
  webhook_delivery: {
    key: number;
    id: string;
    subscription: number;
    feed_key: number;
    lane: number;
    status: 'delivered' | 'scheduled' | 'dead';
    ready: number;
    machine: string | null;
    at: number;
  };
  webhook_attempt: {
    key: number;
    delivery: number;
    at: number;
    duration_ms: number;
    status: number | null;
    reason: string | null;
    answer: string;
  };
}

export type TableName = keyof Rows;

/** One row change. A list of them is the self-contained content of a change record: JSON, keys included. */
export type Change = {
  [T in TableName]:
    | { table: T; op: 'insert'; row: Rows[T] }
    | { table: T; op: 'update'; key: number; row: Partial<Rows[T]> }
    | { table: T; op: 'delete'; key: number };
}[TableName];

/** Columns that hold a UUID: text in a change, a 16-byte BLOB in the file. */
export const uuidColumns: Partial<Record<TableName, readonly string[]>> = {
  actor: ['id'],
  inbox: ['command_id'],
  outbox: ['id'],
  dead_letter: ['command_id', 'actor_id'],
  channel: ['id'],
  conversation: ['id', 'channel_id'],
  message: ['id'],
  parked_send: ['message_id'],
  webhook_subscription: ['id'],
  webhook_delivery: ['id'],
};

/** The column that names a row; `key` but for the shard's own row. */
export const keyColumn = (table: TableName): string => (table === 'shard' ? 'shard' : 'key');

/** Keys of a shard lie between `shard * keysPerShard` and the next shard's first. */
export const keysPerShard = 2 ** 40;

export const shardOfKey = (key: number): number => Math.floor(key / keysPerShard);
