import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import type { MessageJson } from '../representation.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { rowQuery } from '../store/rows.ts';
import { messageJson } from './representation.ts';

export interface MessageReader {
  find(id: string): { message: MessageJson; conversationId: string; channelId: string } | null;
  /** Oldest first, or newest first with `desc`; key `[sent at, message key]`. */
  page(conversationId: string, query: PageQuery, order: 'asc' | 'desc'): Page<MessageJson>;
  /** Messages of a source by the source's own id of the message. */
  findBySourceId(source: string, sourceMessageId: string): { messageId: string; conversationId: string }[];
}

export function messageReader(db: Connection): MessageReader {
  const byId = rowQuery(db, 'message', 'WHERE id = ?');
  const conversationByKey = rowQuery(db, 'conversation', 'WHERE key = ?');
  const conversationById = rowQuery(db, 'conversation', 'WHERE id = ?');
  const count = db.prepare('SELECT count(*) FROM message WHERE conversation = ?').pluck();
  const up = rowQuery(
    db,
    'message',
    'WHERE conversation = ? AND (sent_at, key) > (?, ?) ORDER BY sent_at, key LIMIT ?',
  );
  const down = rowQuery(
    db,
    'message',
    'WHERE conversation = ? AND (sent_at, key) < (?, ?) ORDER BY sent_at DESC, key DESC LIMIT ?',
  );
  const bySourceId = db.prepare(
    `SELECT m.id AS message, c.id AS conversation FROM message m JOIN conversation c ON c.key = m.conversation
     WHERE m.source_message_id = ? AND c.source = ?`,
  );
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
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
      const { key, source } = conversation;
      return pageOf(
        query,
        (from, backwards, limit) => {
          const ascending = (order === 'asc') !== backwards;
          const edge = ascending ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [sentAt = edge, messageKey = edge] = from ?? [];
          return (ascending ? up : down).all(key, sentAt, messageKey, limit);
        },
        (row) => [row.sent_at, row.key],
        (row) => messageJson(row, source),
        count.get(key) as number,
      );
    },
    findBySourceId: (source, sourceMessageId) =>
      (bySourceId.all(sourceMessageId, source) as { message: Uint8Array; conversation: Uint8Array }[]).map((row) => ({
        messageId: uuidFromBytes(row.message),
        conversationId: uuidFromBytes(row.conversation),
      })),
  };
}
