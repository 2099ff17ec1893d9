import type { CommandSender } from '#actors/commands.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { Inbound } from './items.ts';
import { type Ingested, type SortedMessages, storeMessages } from './messages.ts';
import { applyMetadata } from './metadata.ts';
import { receiptMetadata } from './receipts.ts';

export interface IngestParts {
  commands: CommandSender;
  store: StoreReader;
}

/**
 * Stores what came in; resolves when it is durable. Messages first, so that what is said about them finds them.
 * @returns what became of each usable message, in the order in which they came in
 */
export async function ingest(
  parts: IngestParts,
  { source, metadata, receipts }: Inbound,
  { conversations }: SortedMessages,
): Promise<Ingested[]> {
  const ingested = await storeMessages(parts.commands, conversations);
  await applyMetadata(parts, source, [...metadata, ...receipts.map(receiptMetadata)]);
  return ingested;
}
