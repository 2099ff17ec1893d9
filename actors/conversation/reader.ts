import { channelJson } from '../channel/representation.ts';
import { JsonText } from '../json.ts';
import type { ChannelJson, ConversationJson } from '../representation.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Clause } from '../filter.ts';
import { conversationId } from '../ids.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { walkStart } from '../store/walk-start.ts';
import { tagLookup } from '../tag/reader.ts';
import { channels } from '../channel/tables.ts';
import { type Condition, conversationCondition } from './filter.ts';
import { isPresent, type PresentConversation } from './memory.ts';
import { type FindPlaces, placesOf } from './places.ts';
import { type ConversationRow, conversations, type MessageRow, messages } from './tables.ts';
import { conversationJson, conversationText, messageJson, messageText, withoutTags } from './representation.ts';

/** What one id of a source is looked up to, at most: two are too many already. */
export const mostFound = 10;

export interface ConversationReader {
  find(id: string): ConversationJson | null;
  /**
   * Last message first. A walk goes through the list of the moment at which it began, each conversation as it is now:
   * key `[last message time, conversation key, ...that moment]`.
   * @throws Failure `invalid_filter` for what conversations do not have
   */
  page(query: PageQuery, filter: Clause | null): Page<ConversationJson>;
  /**
   * Conversations of a source by the source's own id of the conversation, oldest first: with a channel one at most,
   * else the first few, on different channels.
   */
  findBySourceId(source: string, sourceConversationId: string, channelId?: string): string[];
  /** Where a conversation is, in the words of its source, and its metadata as it is stored; null: there is none. */
  stored(id: string): { sourceChannelId: string; sourceConversationId: string; metadata: string } | null;
}

/** A conversation without a channel row can not be: the channel is connected before anything is ingested. */
export function conversationReader(db: Connection): ConversationReader {
  const byId = conversations.query(db, 'WHERE id = ? AND created_at IS NOT NULL');
  const byKey = conversations.query(db, 'WHERE key = ?');
  // Not before it is asked for: the host's connection, which has such a reader too, knows no `running`.
  let allPlaces: FindPlaces | null = null;
  const placesFor = (condition: Condition | null): FindPlaces => {
    if (condition !== null) return placesOf(db, condition);
    allPlaces ??= placesOf(db, null);
    return allPlaces;
  };
  const channelById = channels.query(db, 'WHERE id = ?');
  const messageByKey = messages.query(db, 'WHERE key = ?');
  const isTag = tagLookup(db);
  const bySourceId = db
    .prepare(
      `SELECT id FROM conversation WHERE source_conversation_id = ? AND source = ? AND created_at IS NOT NULL
       ORDER BY key LIMIT ${mostFound}`,
    )
    .pluck();

  const partsOf = (stored: ConversationRow): [PresentConversation, ChannelJson, MessageRow | null] => {
    if (!isPresent(stored)) throw new Error(`The conversation ${stored.id} has not appeared.`);
    // One that was deleted is gone at once, also where its conversation has yet to drop it.
    const row = withoutTags(stored, (tag) => !isTag(tag));
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
      const places = placesFor(condition);
      const start = query.from?.key.slice(2) ?? walkStart(db);
      return pageOf(
        query,
        function* (from, backwards, limit) {
          const [at = 0, key = 0] = from ?? [];
          for (const place of places(start, from && { at, key }, backwards, limit)) {
            yield { ...place, row: byKey.get(place.key)! };
          }
        },
        ({ at, key }) => [at, key, ...start],
        ({ row }) => toText(row),
        counted(condition),
      );
    },
    findBySourceId(source, sourceConversationId, channelId) {
      if (channelId === undefined)
        return (bySourceId.all(sourceConversationId, source) as Uint8Array[]).map(uuidFromBytes);
      const id = conversationId(channelId, sourceConversationId);
      const row = byId.get(uuidToBytes(id));
      return row?.source === source ? [id] : [];
    },
    stored(id) {
      const row = byId.get(uuidToBytes(id));
      if (row === null || !isPresent(row)) return null;
      const { source_channel_id: sourceChannelId } = channelById.get(uuidToBytes(row.channel_id))!;
      return { sourceChannelId, sourceConversationId: row.source_conversation_id, metadata: row.metadata };
    },
  };
}
