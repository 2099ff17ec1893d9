import type { AttemptOutcome, MessageDeliveryContext } from '#machines/message-delivery.ts';
import { Failure } from '../errors.ts';
import { messageId } from '../ids.ts';
import { merged, objectAt } from '../json.ts';
import type { Handlers, OwnedState } from '../runtime/kind.ts';
import type { ConversationCommands } from './contract.ts';
import {
  eventOfOutcome,
  isInAnotherAttempt,
  metadataAfter,
  retryAtOf,
  sourceDelivery,
  stepDelivery,
} from './delivery.ts';
import { ingestMessages, openConversation } from './ingest.ts';
import { changeMetadata, metadataOf, saveMessageMetadata, withOneName } from './metadata.ts';
import { type ConversationRuntime, isPresent, ownMessage, presentConversation } from './memory.ts';
import { addOutbound, giveUpParked, parkSend } from './parking.ts';
import { applyParkedToMessage } from './parked-metadata.ts';
import { messageJson } from './representation.ts';
import { announceConversation, announceConversationMetadata, saveConversation } from './writer.ts';

export const conversationHandlers: Handlers<ConversationRuntime, ConversationCommands> = {
  'messages.ingest': ingestMessages,

  'message.send'(runtime, { origin, ...message }) {
    if (origin) openConversation(runtime, origin);
    if (!isPresent(runtime.row)) {
      parkSend(runtime, message);
      return { message: null };
    }
    const sent = addOutbound(runtime, message);
    announceConversation(runtime);
    return { message: messageJson(sent, runtime.row.source) };
  },

  'message.resend'(runtime, { messageId }) {
    const row = ownMessage(runtime, messageId);
    const message = stepDelivery(runtime, row, { type: 'resend' })?.message;
    if (!message) {
      throw new Failure(
        'message_not_failed',
        `The message ${messageId} is ${row.state}; only a failed one can be resent.`,
      );
    }
    return { message };
  },

  'message.suggest-replies'(runtime, { messageId, suggestions }) {
    const row = ownMessage(runtime, messageId);
    return { message: saveMessageMetadata(runtime, row, { ...metadataOf(row), suggestions }) };
  },

  'metadata.upsert'(runtime, { messageId, data }) {
    changeMetadata(runtime, messageId, (metadata) => ({
      ...metadata,
      user_data: merged(objectAt(metadata, 'user_data'), data),
    }));
    return null;
  },

  'metadata.merge'(runtime, { messageId, metadata }) {
    changeMetadata(runtime, messageId, (before) => merged(before, withOneName(metadata)));
    return null;
  },

  'conversation.mark-read'(runtime) {
    if (presentConversation(runtime).unread_count === 0) return null;
    runtime.step({ type: 'read' });
    saveConversation(runtime, { unread_count: 0 });
    announceConversationMetadata(runtime);
    announceConversation(runtime);
    return null;
  },

  'conversation.set-state'(runtime, { state }) {
    presentConversation(runtime);
    runtime.step({ type: 'workflow.set', state });
    setWorkflow(runtime, state);
    return null;
  },

  'conversation.remove-state'(runtime) {
    presentConversation(runtime);
    runtime.step({ type: 'workflow.remove' });
    setWorkflow(runtime, null);
    return null;
  },

  'conversation.update-contact'(runtime, { displayName }) {
    changeMetadata(runtime, null, (metadata) => merged(metadata, { contact: { display_name: displayName } }));
    return null;
  },

  'attempt.start'(runtime, { messageId, effectId }) {
    const row = ownMessage(runtime, messageId);
    const effect = runtime.effectOf(row.key, sourceDelivery);
    if (effect === null || effect.id !== effectId || effect.ready === 0) return notStarted;
    const stepped = stepDelivery(runtime, row, { type: 'attempt.started' });
    if (stepped === null) return notStarted;
    const { context, revision } = stepped.owned;
    return { started: true, attempt: (context as MessageDeliveryContext).attempts, revision };
  },

  'attempt.finish'(runtime, { messageId, effectId, revision, outcome }) {
    const row = ownMessage(runtime, messageId);
    const effect = runtime.effectOf(row.key, sourceDelivery);
    if (effect === null || effect.id !== effectId) return { retryAt: null };
    // An owner that was replaced may say late what its call came to: that of the next one goes on.
    if (outcome.kind !== 'succeeded' && isInAnotherAttempt(row, revision)) return { retryAt: runtime.now };
    const sourceMessageId = givenId(runtime, outcome);
    const columns = sourceMessageId === null ? {} : { source_message_id: sourceMessageId };
    const stepped = stepDelivery(runtime, row, eventOfOutcome(outcome), metadataAfter(outcome), columns);
    if (stepped !== null && sourceMessageId !== null) applyParkedToMessage(runtime, stepped.row, sourceMessageId);
    const owned = stepped?.owned ?? (JSON.parse(row.delivery ?? 'null') as OwnedState | null);
    return { retryAt: owned === null ? null : retryAtOf(runtime.now, owned) };
  },
};

const notStarted = { started: false, attempt: 0, revision: 0 };

/** A durable timer of the conversation, or of a message's delivery, has fired. */
export function conversationTimer(
  runtime: ConversationRuntime,
  subject: number,
  event: { type: `xstate.after.${string}` },
): void {
  if (subject === runtime.actor.key) {
    const { effects } = runtime.step(event);
    if (effects.some((effect) => effect.type === 'giveUpParked')) giveUpParked(runtime);
    return;
  }
  const row = runtime.reads.messageByKey(subject);
  if (row !== null) stepDelivery(runtime, row, event);
}

/** The id that the source gave a sent message; null when none, or when a message of the conversation has it already. */
function givenId({ reads, row, actor }: ConversationRuntime, outcome: AttemptOutcome): string | null {
  if (outcome.kind !== 'succeeded' || outcome.sourceMessageId === null) return null;
  const { sourceMessageId } = outcome;
  const taken =
    reads.message(messageId(actor.id, row.source, sourceMessageId)) ?? reads.ownBySourceId(actor.key, sourceMessageId);
  return taken === null ? sourceMessageId : null;
}

function setWorkflow(runtime: ConversationRuntime, workflow: 'OPEN' | 'CLOSED' | null): void {
  saveConversation(runtime, { workflow });
  announceConversationMetadata(runtime);
  announceConversation(runtime);
}
