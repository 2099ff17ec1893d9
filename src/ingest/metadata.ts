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

/**
 * One command for each conversation, side by side, whatever the items are about: so each target gets one event.
 * @returns the items whose target has not appeared
 */
async function mergeKnown(
  { commands, store }: Parts,
  source: string,
  items: readonly MetadataItem[],
): Promise<MetadataItem[]> {
  const unknown: MetadataItem[] = [];
  const ofConversation = new Map<string, Map<string | null, JsonObject[]>>();
  for (const item of items) {
    const targets = targetsOf(store, source, item.namespace, item.sourceId);
    if (targets.length === 0) unknown.push(item);
    for (const { conversationId, messageId } of targets) {
      const about = getOrMake(ofConversation, conversationId, () => new Map());
      getOrMake(about, messageId, () => []).push(item.metadata);
    }
  }
  const merging = [...ofConversation].map(([conversation, said]) => {
    const about = [...said].map(([messageId, metadata]) => ({ messageId, metadata }));
    return commands.send('conversation', conversation, 'metadata.merge', { about });
  });
  await Promise.all(merging);
  return unknown;
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
