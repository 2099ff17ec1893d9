import { JsonText } from '../json.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import type { MessageJson } from '../representation.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { messageId, messageIdsOf } from '../ids.ts';
import { messageJson, messageText } from './representation.ts';
import { mostFound } from './reader.ts';
import { messagesByEcho } from './reads.ts';
import { conversations, messages } from './tables.ts';

export interface MessageReader {
  /** `channelId` null: its conversation has not appeared. */
  find(id: string): { message: MessageJson; conversationId: string; channelId: string | null } | null;
  /** Oldest first, or newest first with `desc`; key `[sent at, message key]`. */
  page(conversationId: string, query: PageQuery, order: 'asc' | 'desc'): Page<MessageJson>;
  /** Messages of a source by the source's own id of the message, oldest first: the first few, in different conversations. */
  findBySourceId(source: string, sourceMessageId: string): { messageId: string; conversationId: string }[];
  /** The message of a conversation that has this id at the source. */
  findInConversation(conversationId: string, source: string, sourceMessageId: string): string | null;
  /** The key of the turn that made the oldest message of ours that is pending; null: none is. */
  oldestPending(conversationId: string): number | null;
  /** The source's own id of a message; null: it has none, or there is no such message. */
  sourceIdOf(id: string): string | null;
  /** The metadata of a message as it is stored; null: there is none. */
  storedMetadata(id: string): string | null;
}

/** Rows that are read in one go. */
const atOnce = 32;

export function messageReader(db: Connection): MessageReader {
  const byId = messages.query(db, 'WHERE id = ?');
  const byEcho = messagesByEcho(db);
  const conversationByKey = conversations.query(db, 'WHERE key = ?');
  const conversationById = conversations.query(db, 'WHERE id = ?');
  const up = messages.query(db, 'WHERE conversation = ? AND (sent_at, key) > (?, ?) ORDER BY sent_at, key LIMIT ?');
  const down = messages.query(
    db,
    'WHERE conversation = ? AND (sent_at, key) < (?, ?) ORDER BY sent_at DESC, key DESC LIMIT ?',
  );
  // Of the source's own messages the id follows from its id; of ours it stands in an index.
  const bySourceId = db.prepare(
    `SELECT m.key, m.id AS message, c.id AS conversation FROM message m JOIN conversation c ON c.key = m.conversation
     WHERE m.id BETWEEN @first AND @last AND m.source_message_id = @sourceMessageId AND c.source = @source
     UNION
     SELECT m.key, m.id, c.id FROM message m JOIN conversation c ON c.key = m.conversation
     WHERE m.source_message_id = @sourceMessageId AND m.delivery IS NOT NULL AND c.source = @source
     ORDER BY 1 LIMIT ${mostFound}`,
  );
  const own = db
    .prepare(
      `SELECT id FROM message WHERE source_message_id = ? AND delivery IS NOT NULL
       AND conversation = (SELECT key FROM conversation WHERE id = ?)`,
    )
    .pluck();
  const pending = db
    .prepare(
      `SELECT min(turn) FROM message WHERE state = 'pending' AND conversation = (SELECT key FROM conversation WHERE id = ?)`,
    )
    .pluck();
  return {
    sourceIdOf: (id) => (byId.get(uuidToBytes(id)) ?? byEcho(id))?.source_message_id ?? null,
    find(id) {
      const row = byId.get(uuidToBytes(id)) ?? byEcho(id);
      if (row === null) return null;
      const conversation = conversationByKey.get(row.conversation)!;
      return {
        message: messageJson(row, conversation.source),
        conversationId: conversation.id,
        channelId: conversation.channel_id,
      };
    },
    page(conversationId, query, order) {
      const conversation = conversationById.get(uuidToBytes(conversationId));
      if (conversation === null) return { items: [], before: null, after: null, total: 0 };
      const { key, source, messages: total } = conversation;
      return pageOf(
        query,
        (from, backwards, limit) => {
          const ascending = (order === 'asc') !== backwards;
          const edge = ascending ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [sentAt = edge, messageKey = edge] = from ?? [];
          const read = ascending ? up : down;
          // Many are read one by one, as the page may be full of bytes before; few at once, which is faster.
          return read[limit > atOnce ? 'iterate' : 'all'](key, sentAt, messageKey, limit);
        },
        (row) => [row.sent_at, row.key],
        (row) => new JsonText(messageText(row, source)),
        total,
      );
    },
    findBySourceId(source, sourceMessageId) {
      const [first, last] = messageIdsOf(source, sourceMessageId).map(uuidToBytes);
      const rows = bySourceId.all({ first, last, sourceMessageId, source });
      return (rows as { message: Uint8Array; conversation: Uint8Array }[]).map((row) => ({
        messageId: uuidFromBytes(row.message),
        conversationId: uuidFromBytes(row.conversation),
      }));
    },
    findInConversation(conversationId, source, sourceMessageId) {
      const id = messageId(conversationId, source, sourceMessageId);
      if (byId.get(uuidToBytes(id)) !== null) return id;
      const ours = own.get(sourceMessageId, uuidToBytes(conversationId)) as Uint8Array | undefined;
      return ours === undefined ? null : uuidFromBytes(ours);
    },
    oldestPending: (conversationId) => pending.get(uuidToBytes(conversationId)) as number | null,
    storedMetadata: (id) => byId.get(uuidToBytes(id))?.metadata ?? null,
  };
}
