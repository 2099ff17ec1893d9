import { channelId, messageId } from '#actors/ids.ts';
import type { TargetName } from '#actors/source/contract.ts';
import { type Target, targetsOf } from '#actors/source/targets.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { MetadataItem } from './items.ts';
import type { ConversationItems } from './messages.ts';

/** The name of what an item is about, as the actors know it. */
export const nameOf = (source: string, item: MetadataItem): TargetName => ({
  namespace: item.namespace,
  sourceId: item.sourceId,
  ...(item.conversation !== undefined && { sourceConversationId: item.conversation }),
  ...(item.channel !== undefined && { channelId: channelId(source, item.channel) }),
});

/**
 * Looks up what items are about: what is there, and what the messages that come with them will make appear. Of a
 * conversation that fits in both ways the first one counts: a message that is there already may have another id.
 */
export function targetLookup(
  store: StoreReader,
  source: string,
  coming: readonly ConversationItems[],
): (item: MetadataItem) => Target[] {
  const inConversation = Map.groupBy(coming, ({ origin }) => origin.sourceConversationId);
  const withMessage = new Map<string, ConversationItems[]>();
  for (const conversation of coming) {
    for (const id of new Set(conversation.items.map(({ item }) => item.id))) {
      withMessage.set(id, [...(withMessage.get(id) ?? []), conversation]);
    }
  }
  const comingFor = (name: TargetName): Target[] => {
    const { namespace, sourceId, sourceConversationId } = name;
    const found = namespace === 'conversation' ? inConversation.get(sourceId) : withMessage.get(sourceId);
    return (found ?? [])
      .filter(({ origin }) => (name.channelId ?? origin.channelId) === origin.channelId)
      .filter(({ origin }) => (sourceConversationId ?? origin.sourceConversationId) === origin.sourceConversationId)
      .map(({ conversation }) => ({
        conversationId: conversation,
        messageId: namespace === 'message' ? messageId(conversation, source, sourceId) : null,
      }));
  };
  return (item) => {
    const name = nameOf(source, item);
    const there = targetsOf(store, source, name);
    const known = new Set(there.map(({ conversationId }) => conversationId));
    return [...there, ...comingFor(name).filter(({ conversationId }) => !known.has(conversationId))];
  };
}
