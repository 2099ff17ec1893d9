import type { MessageReader } from '../conversation/message-reader.ts';
import type { ConversationReader } from '../conversation/reader.ts';

/** What metadata of a source is about. */
export interface Target {
  conversationId: string;
  /** Null: the conversation itself. */
  messageId: string | null;
}

/** Where conversations and messages are looked up by their source's ids. */
interface Readers {
  conversations: Pick<ConversationReader, 'findBySourceId'>;
  messages: Pick<MessageReader, 'findBySourceId'>;
}

/** Everything of a source that goes by an id of its own; empty while nothing of that name has appeared. */
export function targetsOf(
  { conversations, messages }: Readers,
  source: string,
  namespace: 'conversation' | 'message',
  id: string,
): Target[] {
  if (namespace === 'message') return messages.findBySourceId(source, id);
  return conversations.findBySourceId(source, id).map((conversationId) => ({ conversationId, messageId: null }));
}
