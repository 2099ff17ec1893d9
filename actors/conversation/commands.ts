import type { AttemptOutcome, MessageDeliveryContext } from '#machines/message-delivery.ts';
import { Failure } from '../errors.ts';
import { messageId } from '../ids.ts';
import { merged, objectAt } from '../json.ts';
import type { Handlers, OwnedState } from '../runtime/kind.ts';
import type { ConversationCommands } from './contract.ts';
import { eventOfOutcome, metadataAfter, retryAtOf, sourceDelivery, stepDelivery } from './delivery.ts';
import { ingestMessages, openConversation } from './ingest.ts';
import { changeMetadata, metadataOf, saveMessageMetadata, withOneName } from './metadata.ts';
import { type ConversationRuntime, isPresent, ownMessage, presentConversation } from './memory.ts';
import { addOutbound, giveUpParked, parkSend } from './parking.ts';
import { applyParkedToMessage } from './parked-metadata.ts';
import { displayNameOf, messageJson } from './representation.ts';
import { hearOfMessage } from './said.ts';
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

  'metadata.merge'(runtime, { about }) {
    for (const { messageId, metadata } of about) {
      if (messageId !== null) hearOfMessage(runtime, ownMessage(runtime, messageId), metadata, merged);
      else changeMetadata(runtime, null, (before) => merged(before, ...metadata.map(withOneName)));
    }
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
    const row = presentConversation(runtime);
    const agent_name = displayName === '' ? null : displayName;
    if (agent_name === row.agent_name) return null;
    saveConversation(runtime, {
      agent_name,
      display_name: displayNameOf({ ...row, agent_name }, runtime.memory.metadata),
    });
    announceConversationMetadata(runtime);
    announceConversation(runtime);
    return null;
  },

  'attempt.start'(runtime, { messageId, effectId }) {
    const row = ownMessage(runtime, messageId);
    const effect = runtime.effectOf(row.key, sourceDelivery);
    if (effect === null || effect.id !== effectId || effect.ready === 0) return { started: false, attempt: 0 };
    const stepped = stepDelivery(runtime, row, { type: 'attempt.started', at: runtime.now });
    if (stepped === null) return { started: false, attempt: 0 };
    return { started: true, attempt: (stepped.owned.context as MessageDeliveryContext).attempts };
  },

  'attempt.finish'(runtime, { messageId, effectId, outcome }) {
    const row = ownMessage(runtime, messageId);
    const effect = runtime.effectOf(row.key, sourceDelivery);
    if (effect === null || effect.id !== effectId) return { retryAt: null };
    const sourceMessageId = givenId(runtime, outcome);
    const columns = sourceMessageId === null ? {} : { source_message_id: sourceMessageId };
    const stepped = stepDelivery(runtime, row, eventOfOutcome(outcome, runtime.now), metadataAfter(outcome), columns);
    if (stepped !== null && sourceMessageId !== null) applyParkedToMessage(runtime, stepped.row, sourceMessageId);
    const owned = stepped?.owned ?? (JSON.parse(row.delivery ?? 'null') as OwnedState | null);
    return { retryAt: owned === null ? null : retryAtOf(runtime.now, owned) };
  },
};

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
