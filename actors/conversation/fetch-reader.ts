import type { ChannelJson, Json } from '../representation.ts';
import { channelJson } from '../channel/representation.ts';
import { channels } from '../channel/tables.ts';
import { parseJson } from '../json.ts';
import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import { accountOf } from './delivery-reader.ts';
import { isOfErased, isPresent } from './memory.ts';
import { isErased } from './representation.ts';
import { conversations, messages } from './tables.ts';

/** A conversation that something is fetched for. */
export interface FetchWork {
  conversation: { id: string; sourceConversationId: string };
  channel: ChannelJson;
  /** Everything was erased since: nothing is fetched any more. */
  erased: boolean;
}

/** What fetches need (`fetches.ts`), by the keys of their subjects. */
export interface FetchReader {
  conversation(key: number): FetchWork | null;
  message(key: number): (FetchWork & { message: { id: string; content: Json } }) | null;
  /** The source's own id of the contact's last message. */
  lastOfContact(conversation: number): string | null;
  /** The account (`accountOf`) that a conversation, or (null) a message, belongs to. */
  accountOf(conversation: number | null, message: number | null): string | null;
}

export function fetchReader(db: Connection): FetchReader {
  const conversationByKey = conversations.query(db, 'WHERE key = ?');
  const messageByKey = messages.query(db, 'WHERE key = ?');
  const channelById = channels.query(db, 'WHERE id = ?');
  const last = db
    .prepare(
      `SELECT source_message_id FROM message WHERE conversation = ? AND from_contact = 1 ORDER BY sent_at DESC, key DESC
       LIMIT 1`,
    )
    .pluck();
  const conversation = (key: number): FetchWork | null => {
    const row = conversationByKey.get(key);
    if (row === null || !isPresent(row)) return null;
    const channel = channelById.get(uuidToBytes(row.channel_id));
    if (channel === null) return null;
    const { id, source_conversation_id: sourceConversationId } = row;
    return { conversation: { id, sourceConversationId }, channel: channelJson(channel), erased: isErased(row) };
  };
  return {
    conversation,
    message(key) {
      const row = messageByKey.get(key);
      const about = row === null ? null : conversation(row.conversation);
      if (row === null || about === null) return null;
      const erased = isOfErased(conversationByKey.get(row.conversation)!, key);
      return { ...about, erased, message: { id: row.id, content: parseJson(row.content) as Json } };
    },
    lastOfContact: (key) => (last.get(key) as string | null | undefined) ?? null,
    accountOf(of, message) {
      const key = of ?? (message === null ? null : (messageByKey.get(message)?.conversation ?? null));
      const found = key === null ? null : conversation(key);
      return found === null ? null : accountOf(found.channel);
    },
  };
}
