import { isObject } from '../json.ts';
import { metadataText } from '../metadata.ts';
import type { Json, JsonObject } from '../representation.ts';
import { stepDelivery } from './delivery.ts';
import type { ConversationRuntime } from './memory.ts';
import { metadataOf, saveMessageMetadata } from './metadata.ts';
import { type Merge, withSaid } from './receipts.ts';
import type { MessageRow } from './tables.ts';

/**
 * Merges what a source says about a message, in order, and announces it. Of a message of ours an `error` says that it
 * failed after all; one that is on its way is not failed by what is said of an earlier try.
 * @throws Failure `metadata_too_large` unless `merge` keeps to the bounds
 */
export function hearOfMessage(
  runtime: ConversationRuntime,
  row: MessageRow,
  said: readonly JsonObject[],
  merge: Merge,
): void {
  const isOurs = row.delivery !== null;
  const words = isOurs ? said.map(({ error: _, ...rest }) => rest) : said;
  const hear = (metadata: JsonObject): JsonObject => withSaid(metadata, words, merge);
  const heard = hear(metadataOf(row));
  const error = isOurs ? (said.map(errorIn).findLast((text) => text !== null) ?? null) : null;
  if (error !== null) {
    // Refused as a whole, before any of it is done.
    metadataText(heard);
    if (stepDelivery(runtime, row, { type: 'source.failed', error }, hear) !== null) return;
  }
  saveMessageMetadata(runtime, row, heard);
}

const longestError = 1_000;

/** The error that a source tells of, as text; null without one. */
function errorIn({ error }: { error?: Json }): string | null {
  if (typeof error === 'string' && error !== '') return error.slice(0, longestError);
  return isObject(error) ? JSON.stringify(error).slice(0, longestError) : null;
}
