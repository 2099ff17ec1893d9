import { isObject, merged } from '../json.ts';
import { mergedWithinBounds, metadataText } from '../metadata.ts';
import type { Json, JsonObject } from '../representation.ts';
import { stepDelivery } from './delivery.ts';
import { type ConversationRuntime, isOfErased } from './memory.ts';
import { metadataOf, storeMessageMetadata, withOneName } from './metadata.ts';
import { neverBackwards } from './receipts.ts';
import { displayNameOf } from './representation.ts';
import type { MessageRow } from './tables.ts';
import { saveConversation } from './writer.ts';

const longestError = 1_000;

/**
 * Merges what a source says about a message, in its order, and tells it. Of a message of ours an `error` says that it
 * failed after all; one that is on its way is not failed by what is said of an earlier try. What is said of one that was
 * erased is not heard.
 * @param excess what becomes of metadata that would be too large
 * @throws Failure `metadata_too_large` where it is refused
 */
export function hearOfMessage(
  runtime: ConversationRuntime,
  row: MessageRow,
  said: readonly JsonObject[],
  excess: 'refused' | 'left out',
): void {
  if (isOfErased(runtime.row, row.key)) return;
  const words = row.delivery === null ? said : said.map(({ error: _, ...others }) => others);
  const hear = (before: JsonObject): JsonObject => {
    const after = (excess === 'refused' ? merged : mergedWithinBounds)(before, ...words);
    return neverBackwards(before, after, words);
  };
  const heard = hear(metadataOf(row));
  const text = excess === 'refused' ? metadataText(heard) : JSON.stringify(heard);
  const error = row.delivery === null ? null : lastErrorIn(said);
  const failed = error === null ? null : stepDelivery(runtime, row, { type: 'source.failed', error }, hear);
  if (failed === null) storeMessageMetadata(runtime, row, text);
}

/**
 * Merges what a source says about the conversation itself, in its order; what would be too large is left out.
 * @returns whether it shows something else now, which is not announced yet
 */
export function hearOfConversation(runtime: ConversationRuntime, said: readonly JsonObject[]): boolean {
  if (said.length === 0) return false;
  const { memory, row } = runtime;
  const heard = mergedWithinBounds(memory.metadata, ...said.map(withOneName));
  const metadata = JSON.stringify(heard);
  if (metadata === row.metadata) return false;
  saveConversation(runtime, { metadata, display_name: displayNameOf(row, heard) });
  return true;
}

/** The last error that a source tells of, as text; null without one. */
function lastErrorIn(said: readonly JsonObject[]): string | null {
  return said.map(({ error }) => errorText(error)).findLast((text) => text !== null) ?? null;
}

function errorText(error: Json | undefined): string | null {
  if (typeof error === 'string' && error !== '') return error.slice(0, longestError);
  return isObject(error) ? JSON.stringify(error).slice(0, longestError) : null;
}
