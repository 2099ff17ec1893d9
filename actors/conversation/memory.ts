import { Failure } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { JsonObject } from '../representation.ts';
import type { Runtime } from '../runtime/kind.ts';
import type { ConversationReads } from './reads.ts';
import type { ConversationRow, MessageRow } from './tables.ts';

/** What an active conversation keeps at hand beside its row. */
export interface ConversationMemory {
  /** `row.metadata`, parsed. */
  metadata: JsonObject;
  /** Delivery state of the last message; null before it was asked for. */
  lastState: string | null;
}

export type ConversationRuntime = Runtime<ConversationRow, ConversationMemory, ConversationReads, 'conversation'>;

/** A conversation that has appeared. */
export type PresentConversation = ConversationRow & { channel_id: string; created_at: number };

export const loadConversation = (_: ConversationReads, row: ConversationRow): ConversationMemory => ({
  metadata: parseJson(row.metadata) as JsonObject,
  lastState: null,
});

export const isPresent = (row: Readonly<ConversationRow>): row is PresentConversation => row.created_at !== null;

/** Whether a message (by its key) is erased, or is about to be. */
export const isOfErased = ({ erased_before }: Pick<ConversationRow, 'erased_before'>, message: number): boolean =>
  message < (erased_before ?? 0);

/** @throws Failure `not_found` while the conversation has not appeared */
export function presentConversation({ row, actor }: ConversationRuntime): Readonly<PresentConversation> {
  if (!isPresent(row)) throw new Failure('not_found', `There is no conversation ${actor.id}.`);
  return row;
}

/** @throws Failure `not_found` for a message that is not this conversation's */
export function ownMessage(runtime: ConversationRuntime, messageId: string): MessageRow {
  const row = runtime.reads.message(messageId) ?? runtime.reads.messageByEcho(messageId);
  if (row === null || row.conversation !== runtime.actor.key) {
    throw new Failure('not_found', `There is no message ${messageId} in the conversation ${runtime.actor.id}.`);
  }
  return row;
}
