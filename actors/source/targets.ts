import type { MessageReader } from '../conversation/message-reader.ts';
import type { ConversationReader } from '../conversation/reader.ts';
import { erasedNameOf, messageIdsOf } from '../ids.ts';
import type { Connection } from '../store/database.ts';
import { uuidToBytes } from '../uuid.ts';
import type { TargetName } from './contract.ts';

/** Looks up whether a name is that of a conversation that is erased, or of an erased message. */
export function erasedNames(db: Connection): (source: string, name: TargetName) => boolean {
  const conversation = db
    .prepare(
      `SELECT 1 FROM conversation
       WHERE erased_name = @conversation AND source_conversation_id = '' AND ifnull(@channel, channel_id) = channel_id`,
    )
    .pluck();
  const inErased = (ids: string): string =>
    `SELECT 1 FROM message m JOIN conversation c ON c.key = m.conversation
     WHERE ${ids} AND m.key < c.erased_before AND c.source = @source
       AND ifnull(@channel, c.channel_id) = c.channel_id AND ifnull(@conversation, c.erased_name) IS c.erased_name`;
  const message = db
    .prepare(
      `${inErased('m.id BETWEEN @first AND @last')}
       UNION ALL ${inErased('m.echo_id >= @first AND m.echo_id <= @last')}
       UNION ALL ${inErased('m.key IN (SELECT message FROM former_echo WHERE echo_id BETWEEN @first AND @last)')}`,
    )
    .pluck();
  return (source, { namespace, sourceId, sourceConversationId, channelId }) => {
    const named = namespace === 'conversation' ? sourceId : sourceConversationId;
    const where = {
      conversation: named === undefined ? null : uuidToBytes(erasedNameOf(source, named)),
      channel: channelId === undefined ? null : uuidToBytes(channelId),
    };
    if (namespace === 'conversation') return conversation.get(where) !== undefined;
    const [first, last] = messageIdsOf(source, sourceId).map(uuidToBytes);
    return message.get({ ...where, source, first, last }) !== undefined;
  };
}

/** What metadata of a source is about. */
export interface Target {
  conversationId: string;
  /** Null: the conversation itself. */
  messageId: string | null;
}

/** Where conversations and messages are looked up by their source's ids. */
interface Readers {
  conversations: Pick<ConversationReader, 'findBySourceId'>;
  messages: Pick<MessageReader, 'findBySourceId' | 'findInConversation'>;
}

/**
 * What a name of a source fits, at most a few of what it fits, oldest first: none while nothing of that name has
 * appeared, several where the source has given one id to several things. A message's conversation is looked up first;
 * where that is not clear, neither is the message: then the conversations are given.
 */
export function targetsOf({ conversations, messages }: Readers, source: string, name: TargetName): Target[] {
  const { namespace, sourceId, sourceConversationId, channelId } = name;
  const conversationsNamed = (id: string): Target[] =>
    conversations.findBySourceId(source, id, channelId).map((conversationId) => ({ conversationId, messageId: null }));
  if (namespace === 'conversation') return conversationsNamed(sourceId);
  if (sourceConversationId === undefined) return messages.findBySourceId(source, sourceId);
  const [only, ...more] = conversationsNamed(sourceConversationId);
  if (only === undefined || more.length > 0) return only === undefined ? [] : [only, ...more];
  const messageId = messages.findInConversation(only.conversationId, source, sourceId);
  return messageId === null ? [] : [{ ...only, messageId }];
}
