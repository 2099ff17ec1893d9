import type { CommandSender } from '#actors/commands.ts';
import { sourceActorId } from '#actors/ids.ts';
import type { JsonObject } from '#actors/representation.ts';
import { targetsOf } from '#actors/source/targets.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { MetadataItem } from './items.ts';

interface Parts {
  commands: CommandSender;
  store: StoreReader;
}

/**
 * Merges each item into its target; what has not appeared yet is kept by the source's actor until it does. When this
 * resolves each is in its place, so that what is pushed later wins.
 */
export async function applyMetadata(parts: Parts, source: string, items: readonly MetadataItem[]): Promise<void> {
  let left = items;
  while (left.length > 0) {
    const unknown = await mergeKnown(parts, source, left);
    if (unknown.length === 0) return;
    const park = { items: unknown };
    left = (await parts.commands.send('source', sourceActorId(source), 'metadata.park', park)).appeared;
  }
}

/** @returns the items whose target has not appeared */
async function mergeKnown(
  { commands, store }: Parts,
  source: string,
  items: readonly MetadataItem[],
): Promise<MetadataItem[]> {
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
  return unknown;
}
