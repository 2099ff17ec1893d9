import type { CommandSender } from '#actors/commands.ts';
import { sourceActorId } from '#actors/ids.ts';
import type { JsonObject } from '#actors/representation.ts';
import { targetsOf } from '#actors/source/targets.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { MetadataItem } from './items.ts';

/** Merges each item into its target; what has not appeared yet is kept by the source's actor until it does. */
export async function applyMetadata(
  { commands, store }: { commands: CommandSender; store: StoreReader },
  source: string,
  items: readonly MetadataItem[],
): Promise<void> {
  const unknown: MetadataItem[] = [];
  const ofConversation = new Map<string, { messageId: string | null; metadata: JsonObject }[]>();
  for (const item of items) {
    const targets = targetsOf(store, source, item.namespace, item.sourceId);
    if (targets.length === 0) unknown.push(item);
    for (const { conversationId, messageId } of targets) {
      const merges = ofConversation.get(conversationId) ?? [];
      merges.push({ messageId, metadata: item.metadata });
      ofConversation.set(conversationId, merges);
    }
  }
  const merging = [...ofConversation].map(async ([conversation, merges]) => {
    // One after the other: a later item about the same target wins over an earlier one.
    for (const merge of merges) await commands.send('conversation', conversation, 'metadata.merge', merge);
  });
  await Promise.all(merging);
  if (unknown.length > 0) {
    await commands.send('source', sourceActorId(source), 'metadata.park', { items: unknown });
  }
}
