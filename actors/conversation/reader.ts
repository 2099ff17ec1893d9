import { channelJson } from '../channel/representation.ts';
import { JsonText } from '../json.ts';
import type { ChannelJson, ConversationJson } from '../representation.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Clause } from '../filter.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { channels } from '../channel/tables.ts';
import type { RowQuery } from '../store/table.ts';
import { type Condition, conversationCondition } from './filter.ts';
import { isPresent, type PresentConversation } from './memory.ts';
import { type ConversationRow, conversations, type MessageRow, messages } from './tables.ts';
import { conversationJson, conversationText, messageJson, messageText } from './representation.ts';

export interface ConversationReader {
  find(id: string): ConversationJson | null;
  /**
   * Last message first; key `[last message time, conversation key]`.
   * @throws Failure `invalid_filter` for what conversations do not have
   */
  page(query: PageQuery, filter: Clause | null): Page<ConversationJson>;
  /** Conversations of a source by the source's own id of the conversation. */
  findBySourceId(source: string, sourceConversationId: string): string[];
}

/** A conversation without a channel row can not be: the channel is connected before anything is ingested. */
export function conversationReader(db: Connection): ConversationReader {
  const byId = conversations.query(db, 'WHERE id = ? AND created_at IS NOT NULL');
  const channelById = channels.query(db, 'WHERE id = ?');
  const messageByKey = messages.query(db, 'WHERE key = ?');
  const bySourceId = db
    .prepare('SELECT id FROM conversation WHERE source_conversation_id = ? AND source = ? AND created_at IS NOT NULL')
    .pluck();

  const partsOf = (row: ConversationRow): [PresentConversation, ChannelJson, MessageRow | null] => {
    if (!isPresent(row)) throw new Error(`The conversation ${row.id} has not appeared.`);
    const channel = channelById.get(uuidToBytes(row.channel_id))!;
    return [row, channelJson(channel), row.last_message === null ? null : messageByKey.get(row.last_message)];
  };
  const toJson = (of: ConversationRow): ConversationJson => {
    const [row, channel, last] = partsOf(of);
    return conversationJson(row, channel, last && messageJson(last, row.source));
  };
  const toText = (of: ConversationRow): JsonText<ConversationJson> => {
    const [row, channel, last] = partsOf(of);
    return new JsonText(conversationText(row, channel, last && messageText(last, row.source)));
  };

  const counted = (condition: Condition | null): number =>
    db
      .prepare(
        condition === null
          ? 'SELECT count(*) FROM conversation WHERE created_at IS NOT NULL'
          : `SELECT count(*) FROM conversation c JOIN channel ch ON ch.id = c.channel_id
             WHERE c.created_at IS NOT NULL AND running(c.key) AND ${condition.where}`,
      )
      .pluck()
      .get(...(condition?.parameters ?? [])) as number;

  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : toJson(row);
    },
    page(query, filter) {
      const condition = filter === null ? null : conversationCondition(filter);
      const newer = listQuery(db, condition, '>', 'ASC');
      const older = listQuery(db, condition, '<', 'DESC');
      return pageOf(
        query,
        (from, backwards, limit) => {
          const edge = backwards ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [lastMessageAt = edge, key = edge] = from ?? [];
          return (backwards ? newer : older).all(lastMessageAt, key, ...(condition?.parameters ?? []), limit);
        },
        (row) => [row.last_message_at, row.key],
        toText,
        counted(condition),
      );
    },
    findBySourceId: (source, sourceConversationId) =>
      (bySourceId.all(sourceConversationId, source) as Uint8Array[]).map(uuidFromBytes),
  };
}

function listQuery(
  db: Connection,
  condition: Condition | null,
  comparison: '<' | '>',
  order: 'ASC' | 'DESC',
): RowQuery<ConversationRow> {
  const filtered =
    condition === null
      ? ''
      : `AND key IN (SELECT c.key FROM conversation c JOIN channel ch ON ch.id = c.channel_id
           WHERE running(c.key) AND ${condition.where})`;
  return conversations.query(
    db,
    `WHERE created_at IS NOT NULL AND (last_message_at, key) ${comparison} (?, ?) ${filtered}
     ORDER BY last_message_at ${order}, key ${order} LIMIT ?`,
  );
}
