import Database from 'better-sqlite3';
import { isoTime } from '#actors/representation.ts';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import { uuidFromBytes, uuidToBytes } from '#actors/uuid.ts';
import type { IngestItem, IngestResult } from './ingest-body.ts';

const source = 'bench';
/** As the hub's own (actors/store/database.ts). */
const pageCacheKiB = 128 * 1024;
const checkpointPages = 16_384;

const schema = `
CREATE TABLE conversation (
  key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, channel_id BLOB NOT NULL, source_conversation_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, unread_count INTEGER NOT NULL, last_message INTEGER, last_message_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversation_recent ON conversation (last_message_at);
CREATE TABLE message (
  key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, conversation INTEGER NOT NULL, source_message_id TEXT NOT NULL,
  sent_at INTEGER NOT NULL, from_contact INTEGER NOT NULL, sender TEXT NOT NULL, content TEXT NOT NULL
) STRICT;
CREATE INDEX message_order ON message (conversation, sent_at);
CREATE UNIQUE INDEX message_source_id ON message (source_message_id, conversation);
CREATE TABLE event (key INTEGER PRIMARY KEY, type TEXT NOT NULL, timestamp INTEGER NOT NULL, payload TEXT NOT NULL) STRICT;
`;

/** One commit for many requests: a list of messages for each of them. */
export interface GroupCommitStore {
  write(batch: IngestItem[][]): IngestResult[][];
  close(): void;
}

/**
 * The same facts as the hub's, written by hand: message, conversation and event rows, duplicates found by the unique
 * index. No actors, state machines or journal.
 */
export function openGroupCommitStore(file: string): GroupCommitStore {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma(`cache_size = -${pageCacheKiB}`);
  db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
  db.exec(schema);
  const ingest = ingestStatement(db);
  return {
    write: db.transaction((batch: IngestItem[][]) => batch.map((items) => items.map(ingest))),
    close: () => db.close(),
  };
}

function ingestStatement(db: Database.Database): (item: IngestItem) => IngestResult {
  const findConversation = db.prepare('SELECT key FROM conversation WHERE id = ?').pluck();
  const addConversation = db.prepare(
    `INSERT INTO conversation (id, channel_id, source_conversation_id, created_at, unread_count, last_message_at)
     VALUES (?, ?, ?, ?, 0, 0)`,
  );
  const addMessage = db.prepare(
    `INSERT INTO message (id, conversation, source_message_id, sent_at, from_contact, sender, content)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source_message_id, conversation) DO NOTHING`,
  );
  const storedId = db.prepare('SELECT id FROM message WHERE source_message_id = ? AND conversation = ?').pluck();
  const touchConversation = db
    .prepare(
      `UPDATE conversation SET unread_count = unread_count + ?, last_message = ?, last_message_at = ? WHERE key = ?
       RETURNING unread_count`,
    )
    .pluck();
  const addEvent = db.prepare('INSERT INTO event (type, timestamp, payload) VALUES (?, ?, ?)');

  return (item) => {
    const channel = channelId(source, item.source_channel_id);
    const conversation = conversationId(channel, item.source_conversation_id);
    const id = messageId(conversation, source, item.source_message_id);
    const now = Date.now();
    const sentAt = new Date(item.sent_at).getTime();
    const conversationBytes = uuidToBytes(conversation);
    const key =
      (findConversation.get(conversationBytes) as number | undefined) ??
      addConversation.run(conversationBytes, uuidToBytes(channel), item.source_conversation_id, now).lastInsertRowid;
    const result = { source_message_id: item.source_message_id, conversation_id: conversation };
    const fromContact = item.from_contact ? 1 : 0;
    const sender = JSON.stringify({ id: item.source_sender_id });
    const content = JSON.stringify(item.content);
    const row = [uuidToBytes(id), key, item.source_message_id, sentAt, fromContact, sender, content];
    const added = addMessage.run(...row);
    if (added.changes === 0) {
      const stored = storedId.get(item.source_message_id, key) as Buffer;
      return { ...result, id: uuidFromBytes(stored), duplicate: true };
    }
    const unread = touchConversation.get(fromContact, added.lastInsertRowid, sentAt, key) as number;
    const message = {
      id,
      content: item.content,
      state: 'delivered',
      delivery_state: 'delivered',
      from_contact: item.from_contact,
      sent_at: isoTime(sentAt),
      source,
      sender: { id: item.source_sender_id },
    };
    const created = { conversation_id: conversation, channel_id: channel, message };
    addEvent.run('message.created', now, JSON.stringify(created));
    const updated = {
      id: conversation,
      channel_id: channel,
      metadata: { unread_count: unread },
      last_message: message,
    };
    addEvent.run('conversation.updated', now, JSON.stringify(updated));
    return { ...result, id, duplicate: false };
  };
}
