import type { MetadataItem } from './items.ts';
import { type Ingested, type SortedMessages, storeMessages } from './messages.ts';
import { type IngestParts, keepUnknown, mergeMetadata, saidTogether } from './metadata.ts';

/**
 * Stores what came in; resolves when it is durable. What is kept for later comes first: its refusal stores nothing.
 * Then messages, with what is said of their conversations, so that what is said about them finds them.
 * @param metadata what `checkMetadata` has found nothing against
 * @returns what became of each usable message, in the order in which they came in
 */
export async function ingest(
  parts: IngestParts,
  source: string,
  { conversations }: SortedMessages,
  metadata: readonly MetadataItem[],
): Promise<Ingested[]> {
  const left = await keepUnknown(parts, source, conversations, metadata);
  const { together, others } = saidTogether(source, conversations, left);
  const ingested = await storeMessages(parts, together);
  await mergeMetadata(parts, source, others);
  return ingested;
}
