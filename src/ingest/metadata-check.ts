import type { FailureCode } from '#actors/errors.ts';
import { merged, parseJson } from '#actors/json.ts';
import { excessOf, metadataBounds } from '#actors/metadata.ts';
import type { JsonObject } from '#actors/representation.ts';
import type { Target } from '#actors/source/targets.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import { metadataProblem } from './item-check.ts';
import type { MetadataItem } from './items.ts';
import type { ConversationItems, SortedMessages } from './messages.ts';
import { targetLookup } from './metadata-targets.ts';

/** An item of metadata that can not be taken. */
export interface UnusableMetadata {
  index: number;
  code: FailureCode & ('invalid_request' | 'ambiguous_target' | 'metadata_too_large');
  problem: string;
}

/** Stored metadata that one request may be about, in bytes: every change of it is told in full. */
const mostAtOnce = 8 * metadataBounds.bytes;

/**
 * What of the metadata could not be stored, before anything is. The actors look again: what changes meanwhile can still
 * make them refuse.
 */
export function checkMetadata(
  store: StoreReader,
  source: string,
  { conversations }: SortedMessages,
  items: readonly MetadataItem[],
): UnusableMetadata[] {
  if (items.length === 0) return [];
  const malformed = items.flatMap((item, index): UnusableMetadata[] => {
    const problem = metadataProblem(item);
    return problem === null ? [] : [{ index, code: 'invalid_request', problem }];
  });
  const isMalformed = new Set(malformed.map(({ index }) => index));
  const lookup = targetLookup(store, source, conversations);
  const targets = items.map((item, index) => (isMalformed.has(index) ? [] : lookup(item)));
  const ambiguous = targets.flatMap((fitting, index): UnusableMetadata[] => {
    if (fitting.length < 2) return [];
    const names = fitting.map((target) => whereabouts(store, conversations, target));
    return [{ index, code: 'ambiguous_target', problem: `fits several: ${names.join(', ')}; say which` }];
  });
  return [...malformed, ...ambiguous, ...tooLarge(store, items, targets)];
}

/** Where a target is, in the fields that name it. */
function whereabouts(store: StoreReader, coming: readonly ConversationItems[], { conversationId }: Target): string {
  const stored = store.conversations.stored(conversationId);
  const first = coming.find(({ conversation }) => conversation === conversationId)?.items[0]?.item;
  const [channel, conversation] = [
    stored?.sourceChannelId ?? first?.channel,
    stored?.sourceConversationId ?? first?.conversation,
  ];
  return `source_channel_id ${JSON.stringify(channel)} with source_conversation_id ${JSON.stringify(conversation)}`;
}

/** All that is said about one target. */
interface Subject {
  stored: string;
  said: JsonObject[];
  /** Of the last item about it. */
  index: number;
}

function tooLarge(
  store: StoreReader,
  items: readonly MetadataItem[],
  targets: readonly Target[][],
): UnusableMetadata[] {
  const subjects = new Map<string, Subject>();
  let bytes = 0;
  for (const [index, { metadata }] of items.entries()) {
    const [target, ...more] = targets[index]!;
    if (target === undefined || more.length > 0) continue;
    const id = target.messageId ?? target.conversationId;
    const known = subjects.get(id);
    const subject = known ?? { stored: storedText(store, target), said: [], index };
    subject.said.push(metadata);
    subjects.set(id, { ...subject, index });
    if (known === undefined) bytes += subject.stored.length;
    if (bytes > mostAtOnce) return [{ index, code: 'metadata_too_large', problem: overMost }];
  }
  return [...subjects.values()].flatMap(({ stored, said, index }): UnusableMetadata[] => {
    const problem = excessOfAll(said) ?? excessWith(stored, said);
    return problem === null ? [] : [{ index, code: 'metadata_too_large', problem }];
  });
}

const overMost = `together with the items before it is about things with more than ${mostAtOnce} bytes of metadata; push less at once`;

const storedText = ({ conversations, messages }: StoreReader, { conversationId, messageId }: Target): string =>
  (messageId === null ? conversations.stored(conversationId)?.metadata : messages.storedMetadata(messageId)) ?? '{}';

const excessOfAll = (said: readonly JsonObject[]): string | null =>
  said.map(excessOf).find((problem) => problem !== null) ?? null;

/** Merging makes nothing longer than both are: nearly always that is enough to know. */
function excessWith(stored: string, said: readonly JsonObject[]): string | null {
  const most = Buffer.byteLength(stored) + Buffer.byteLength(JSON.stringify(said));
  return most <= metadataBounds.bytes ? null : excessOf(merged(parseJson(stored) as JsonObject, ...said));
}
