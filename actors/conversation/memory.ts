import { Failure } from '../errors.ts';
import type { Runtime } from '../runtime/definition.ts';
import type { JsonObject, MessageJson } from '../representation.ts';
import type { ActorReads } from '../store/actor-reads.ts';
import type { Rows } from '../store/tables.ts';
import { messageJson } from './representation.ts';

/** What an active conversation keeps at hand. */
export interface ConversationMemory {
  /** Null while the conversation has not appeared. */
  conversation: {
    row: Rows['conversation'];
    /** `row.metadata`, parsed. */
    metadata: JsonObject;
    lastMessage: MessageJson | null;
  } | null;
}

export type ConversationRuntime = Runtime<ConversationMemory>;

export function loadConversation(reads: ActorReads, key: number): ConversationMemory {
  const row = reads.conversation(key);
  if (row === null) return { conversation: null };
  const last = row.last_message === null ? null : reads.messageByKey(row.last_message);
  return {
    conversation: {
      row,
      metadata: JSON.parse(row.metadata) as JsonObject,
      lastMessage: last === null ? null : messageJson(last, row.source),
    },
  };
}

/** @throws Failure `not_found` while the conversation has not appeared */
export function presentConversation(runtime: ConversationRuntime): NonNullable<ConversationMemory['conversation']> {
  const { conversation } = runtime.memory;
  if (conversation === null) throw new Failure('not_found', `There is no conversation ${runtime.actor.id}.`);
  return conversation;
}

/** @throws Failure `not_found` for a message that is not this conversation's */
export function ownMessage(runtime: ConversationRuntime, messageId: string): Rows['message'] {
  const row = runtime.reads.message(messageId);
  if (row === null || row.conversation !== runtime.actor.key) {
    throw new Failure('not_found', `There is no message ${messageId} in the conversation ${runtime.actor.id}.`);
  }
  return row;
}
