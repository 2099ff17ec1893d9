import { channelJson } from '../channel/representation.ts';
import { JsonText } from '../json.ts';
import type { ChannelJson, ConversationJson } from '../representation.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Clause } from '../filter.ts';
import { conversationId } from '../ids.ts';
import type { ReaderParts } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { walkStart } from '../store/walk-start.ts';
import { tagLookup } from '../tag/reader.ts';
import { channels } from '../channel/tables.ts';
import { isPresent, type PresentConversation } from './memory.ts';
import { type FindPlaces, placesOf } from './places.ts';
import { foundBy } from './search/found.ts';
import { SearchIndex, type SearchProgress } from './search/index.ts';
import { placesAmong } from './search/places.ts';
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
   * Has the index of filters follow what was committed, for `ms` at most. @returns null when nothing is left, else how
   * far it is
   */
  follow(ms: number): SearchProgress | null;
  /** Closes what it has opened besides the connection. */
  close(): void;
  /**
   * Conversations of a source by the source's own id of the conversation, oldest first: with a channel one at most,
   * else the first few, on different channels.
   */
  findBySourceId(source: string, sourceConversationId: string, channelId?: string): string[];
  /** Every conversation that was erased, with when that was last (epoch ms); null: its turn is no longer kept. */
  erased(): { id: string; at: number | null }[];
  /** Where a conversation is, in the words of its source, and its metadata as it is stored; null: there is none. */
  stored(id: string): { sourceChannelId: string; sourceConversationId: string; metadata: string } | null;
}

/** A list with a filter waits so long for what was committed before; then it is of what is known. */
const catchUpMs = 1_000;
const timeless = { clock: () => 0 };

/** Says whether there is time left. */
function patience(clock: () => number, ms: number): () => boolean {
  const until = clock() + ms;
  return () => clock() < until;
}

/** A conversation without a channel row can not be: the channel is connected before anything is ingested. */
export function conversationReader(
  db: Connection,
  { clock }: Pick<ReaderParts, 'clock'> = timeless,
): ConversationReader {
  const byId = conversations.query(db, 'WHERE id = ? AND created_at IS NOT NULL');
  const byKey = conversations.query(db, 'WHERE key = ?');
  // Neither before it is asked for: the host's connection, which has such a reader too, knows no `running`.
  let allPlaces: FindPlaces | null = null;
  let searchIndex: SearchIndex | null = null;
  const search = (): SearchIndex => (searchIndex ??= new SearchIndex(db));
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

  const countAll = db.prepare('SELECT count(*) FROM conversation WHERE created_at IS NOT NULL').pluck();
  /** Where all, or those of a filter, are in the list, and how many they are. */
  const listed = (filter: Clause | null): { places: FindPlaces; total: number } => {
    if (filter === null) {
      allPlaces ??= placesOf(db);
      return { places: allPlaces, total: countAll.get() as number };
    }
    const index = search();
    index.advance(patience(clock, catchUpMs));
    index.mustKnow('conversations');
    const found = index.ask(() => foundBy(index, filter));
    return { places: placesAmong(db, index, found), total: found.count() };
  };

  const erased = db.prepare(
    `SELECT id, (SELECT at FROM journal WHERE key <= erased_before ORDER BY key DESC LIMIT 1) AS at
     FROM conversation WHERE erased_before IS NOT NULL`,
  );
  return {
    erased: () =>
      (erased.all() as { id: Uint8Array; at: number | null }[]).map(({ id, at }) => ({ id: uuidFromBytes(id), at })),
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : toJson(row);
    },
    page(query, filter) {
      const { places, total } = listed(filter);
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
        total,
      );
    },
    follow: (ms) => (search().advance(patience(clock, ms)) ? null : search().progress()),
    close: () => searchIndex?.close(),
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
