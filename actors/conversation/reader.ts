import { channelJson } from '../channel/representation.ts';
import type { ConversationJson } from '../representation.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { channels } from '../channel/tables.ts';
import type { RowQuery } from '../store/table.ts';
import { isPresent } from './memory.ts';
import { type ConversationRow, conversations, messages } from './tables.ts';
import { conversationJson, messageJson } from './representation.ts';

/** A condition in SQL over `conversation c` joined with `channel ch`; `parameters` in the order of its question marks. */
export interface ConversationFilter {
  where: string;
  parameters: (string | number | Buffer)[];
}

export interface ConversationReader {
  find(id: string): ConversationJson | null;
  /** Last message first; key `[last message time, conversation key]`. */
  page(query: PageQuery, filter: ConversationFilter | null): Page<ConversationJson>;
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

  const toJson = (row: ConversationRow): ConversationJson => {
    if (!isPresent(row)) throw new Error(`The conversation ${row.id} has not appeared.`);
    const channel = channelById.get(uuidToBytes(row.channel_id))!;
    const last = row.last_message === null ? null : messageByKey.get(row.last_message);
    return conversationJson(row, channelJson(channel), last === null ? null : messageJson(last, row.source));
  };

  const counted = (filter: ConversationFilter | null): number =>
    db
      .prepare(
        filter === null
          ? 'SELECT count(*) FROM conversation WHERE created_at IS NOT NULL'
          : `SELECT count(*) FROM conversation c JOIN channel ch ON ch.id = c.channel_id
             WHERE c.created_at IS NOT NULL AND ${filter.where}`,
      )
      .pluck()
      .get(...(filter?.parameters ?? [])) as number;

  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : toJson(row);
    },
    page(query, filter) {
      const newer = listQuery(db, filter, '>', 'ASC');
      const older = listQuery(db, filter, '<', 'DESC');
      return pageOf(
        query,
        (from, backwards, limit) => {
          const edge = backwards ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [lastMessageAt = edge, key = edge] = from ?? [];
          return (backwards ? newer : older).all(lastMessageAt, key, ...(filter?.parameters ?? []), limit);
        },
        (row) => [row.last_message_at, row.key],
        toJson,
        counted(filter),
      );
    },
    findBySourceId: (source, sourceConversationId) =>
      (bySourceId.all(sourceConversationId, source) as Uint8Array[]).map(uuidFromBytes),
  };
}

function listQuery(
  db: Connection,
  filter: ConversationFilter | null,
  comparison: '<' | '>',
  order: 'ASC' | 'DESC',
): RowQuery<ConversationRow> {
  const condition =
    filter === null
      ? ''
      : `AND key IN (SELECT c.key FROM conversation c JOIN channel ch ON ch.id = c.channel_id WHERE ${filter.where})`;
  return conversations.query(
    db,
    `WHERE created_at IS NOT NULL AND (last_message_at, key) ${comparison} (?, ?) ${condition} ORDER BY last_message_at ${order}, key ${order} LIMIT ?`,
  );
}
