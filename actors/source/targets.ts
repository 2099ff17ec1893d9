import type { MessageReader } from '../conversation/message-reader.ts';
import type { ConversationReader } from '../conversation/reader.ts';
import type { TargetName } from './contract.ts';

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
