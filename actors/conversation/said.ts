import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../representation.ts';
import { stepDelivery } from './delivery.ts';
import type { ConversationRuntime } from './memory.ts';
import { metadataOf, saveMessageMetadata } from './metadata.ts';
import { withSaid } from './receipts.ts';
import type { MessageRow } from './tables.ts';

/**
 * Merges what a source says about a message, in order, and announces it. Of a message of ours an `error` says that it
 * failed after all; one that is on its way is not failed by what is said of an earlier try.
 */
export function hearOfMessage(runtime: ConversationRuntime, row: MessageRow, said: readonly JsonObject[]): void {
  if (row.delivery === null) {
    saveMessageMetadata(runtime, row, said.reduce(withSaid, metadataOf(row)));
    return;
  }
  const others = said.map(({ error: _, ...rest }) => rest);
  const hear = (metadata: JsonObject): JsonObject => others.reduce(withSaid, metadata);
  const error = said.map((words) => errorIn(words)).findLast((text) => text !== null) ?? null;
  const failed = error === null ? null : stepDelivery(runtime, row, { type: 'source.failed', error }, hear);
  if (failed === null) saveMessageMetadata(runtime, row, hear(metadataOf(row)));
}

const longestError = 1_000;

/** The error that a source tells of, as text; null without one. */
function errorIn({ error }: { error?: Json }): string | null {
  if (typeof error === 'string' && error !== '') return error.slice(0, longestError);
  return isObject(error) ? JSON.stringify(error).slice(0, longestError) : null;
}
