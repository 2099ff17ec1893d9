import type { CommandSender } from '#actors/commands.ts';
import { conversationId, sourceActorId } from '#actors/ids.ts';
import type { JsonObject } from '#actors/representation.ts';
import { targetsOf } from '#actors/source/targets.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { Features } from '#src/features.ts';
import type { MetadataItem } from './items.ts';
import type { ConversationItems, SourceTraits } from './messages.ts';
import { nameOf, targetLookup } from './metadata-targets.ts';

/** What ingesting works with. */
export interface IngestParts {
  commands: CommandSender;
  store: StoreReader;
  features: Features;
  traits?: SourceTraits;
}

/**
 * Has the source's actor keep what is about things that have not appeared, and will not with the messages that come
 * with it.
 * @returns the items that are left: what they are about is there, or will be with the messages
 */
export async function keepUnknown(
  parts: IngestParts,
  source: string,
  coming: readonly ConversationItems[],
  items: readonly MetadataItem[],
): Promise<MetadataItem[]> {
  if (items.length === 0) return [];
  const targets = targetLookup(parts.store, source, coming);
  const isUnknown = (item: MetadataItem): boolean => targets(item).length === 0;
  const { unknown = [], left = [] } = Object.groupBy(items, (item) => (isUnknown(item) ? 'unknown' : 'left'));
  return [...left, ...(await park(parts, source, unknown))];
}

/**
 * Has each conversation hear what is said of it in the turn that takes in its messages.
 * @param items whose targets are there, or will be with the messages
 */
export function saidTogether(
  source: string,
  coming: readonly ConversationItems[],
  items: readonly MetadataItem[],
): { together: readonly ConversationItems[]; others: MetadataItem[] } {
  if (items.length === 0) return { together: coming, others: [] };
  const saidOf = new Map(coming.map(({ conversation }): [string, JsonObject[]] => [conversation, []]));
  const others = items.filter((item) => {
    const { namespace, channelId: channel, sourceId } = nameOf(source, item);
    const said = namespace === 'message' || !channel ? undefined : saidOf.get(conversationId(channel, sourceId));
    said?.push(item.metadata);
    return said === undefined;
  });
  return { together: coming.map((one) => ({ ...one, said: saidOf.get(one.conversation)! })), others };
}

/**
 * Merges each item into its target; what has not appeared yet is kept by the source's actor until it does. When this
 * resolves each is in its place, so that what is pushed later wins.
 */
export async function mergeMetadata(parts: IngestParts, source: string, items: readonly MetadataItem[]): Promise<void> {
  let left = items;
  while (left.length > 0) left = await park(parts, source, await mergeKnown(parts, source, left));
}

/** @returns the items whose target has appeared meanwhile */
async function park(
  { commands }: IngestParts,
  source: string,
  items: readonly MetadataItem[],
): Promise<MetadataItem[]> {
  if (items.length === 0) return [];
  const named = items.map((item) => ({ ...nameOf(source, item), metadata: item.metadata }));
  const { appeared } = await commands.send('source', sourceActorId(source), 'metadata.park', { source, items: named });
  return appeared.map((index) => items[index]!);
}

/**
 * One command for each conversation, side by side, whatever the items are about: so each target gets one event.
 * @returns the items whose target has not appeared
 */
async function mergeKnown(
  { commands, store }: IngestParts,
  source: string,
  items: readonly MetadataItem[],
): Promise<MetadataItem[]> {
  const unknown: MetadataItem[] = [];
  const ofConversation = new Map<string, Map<string | null, JsonObject[]>>();
  for (const item of items) {
    // Of several that appeared after the item was checked, the first one counts, as if it had been kept for it.
    const [target] = targetsOf(store, source, nameOf(source, item));
    if (target === undefined) {
      unknown.push(item);
      continue;
    }
    const about = getOrMake(ofConversation, target.conversationId, () => new Map());
    getOrMake(about, target.messageId, () => []).push(item.metadata);
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
