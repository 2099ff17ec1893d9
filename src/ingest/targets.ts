import type { StoreReader } from '#actors/store-reader.ts';
import type { MetadataItem } from './items.ts';

/** What metadata of a source is about. */
export interface Target {
  conversationId: string;
  /** Null: the conversation itself. */
  messageId: string | null;
}

/** Everything of a source that goes by the id that an item names; empty while nothing of that name has appeared. */
export function targetsOf(
  { conversations, messages }: Pick<StoreReader, 'conversations' | 'messages'>,
  source: string,
  { namespace, sourceId }: Pick<MetadataItem, 'namespace' | 'sourceId'>,
): Target[] {
  if (namespace === 'message') return messages.findBySourceId(source, sourceId);
  return conversations.findBySourceId(source, sourceId).map((conversationId) => ({ conversationId, messageId: null }));
}
