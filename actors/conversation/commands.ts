import type { AttemptOutcome, MessageDeliveryContext } from '#machines/message-delivery.ts';
import { Failure } from '../errors.ts';
import { messageId } from '../ids.ts';
import { merged, objectAt } from '../json.ts';
import type { Handlers, OwnedState } from '../runtime/kind.ts';
import { collectMessages } from './collecting.ts';
import type { ConversationCommands } from './contract.ts';
import {
  eventOfOutcome,
  isInAnotherAttempt,
  metadataAfter,
  retryAtOf,
  sourceDelivery,
  type SteppedDelivery,
  stepDelivery,
} from './delivery.ts';
import { erasureHandlers } from './erasing.ts';
import { knownByEcho, namedMessage, releaseEchoes, settleEchoes } from './echoes.ts';
import { askFor, finishFetch, profileFetch, readMark } from './fetches.ts';
import { ingestMessages, openConversation } from './ingest.ts';
import { changeMetadata, metadataOf, saveMessageMetadata, withOneName } from './metadata.ts';
import { type ConversationRuntime, isOfErased, isPresent, ownMessage, presentConversation } from './memory.ts';
import { addOutbound, giveUpParked, parkAgain, parkSend } from './parking.ts';
import { applyParkedToMessage } from './parked-metadata.ts';
import { displayNameOf, isErased, messageJson } from './representation.ts';
import { isReached } from './receipts.ts';
import { hearOfMessage } from './said.ts';
import { dropTag, putTag, takeTagOff } from './tags.ts';
import { type MessageRow, messages } from './tables.ts';
import { reflectTyping } from './typing.ts';
import { announceConversation, announceConversationMetadata, saveConversation } from './writer.ts';

export const conversationHandlers: Handlers<ConversationRuntime, ConversationCommands> = {
  'messages.ingest': ingestMessages,

  'message.send'(runtime, { origin, ...message }) {
    if (origin) openConversation(runtime, origin);
    if (!isPresent(runtime.row)) {
      parkSend(runtime, message);
      return { message: null };
    }
    mustBeReachable(runtime);
    const sent = addOutbound(runtime, message);
    announceConversation(runtime);
    return { message: messageJson(sent, runtime.row.source) };
  },

  'message.resend'(runtime, { messageId }) {
    const row = ownMessage(runtime, messageId);
    mustBeReachable(runtime);
    const resent = isPresent(runtime.row) ? resend(runtime, row) : parkAgain(runtime, row);
    const message = resent?.message;
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
      if (messageId !== null) hearOfMessage(runtime, ownMessage(runtime, messageId), metadata, 'refused');
      else if (!isErased(runtime.row)) {
        changeMetadata(runtime, null, (before) => merged(before, ...metadata.map(withOneName)));
      }
    }
    return null;
  },

  'conversation.mark-read'(runtime, body) {
    if (presentConversation(runtime).unread_count === 0) return null;
    runtime.step({ type: 'read' });
    if (body?.tellSource) askFor(runtime, readMark, runtime.actor.key);
    saveConversation(runtime, { unread_count: 0 });
    announceConversationMetadata(runtime);
    announceConversation(runtime);
    return null;
  },

  'conversation.refetch'(runtime) {
    presentConversation(runtime);
    askFor(runtime, profileFetch, runtime.actor.key);
    return null;
  },

  'fetch.finish': finishFetch,

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

  'contact.typing'(runtime, { typing }) {
    presentConversation(runtime);
    const { effects } = runtime.step({ type: typing ? 'typing.seen' : 'typing.ended' });
    if (reflectTyping(runtime, effects)) announceConversation(runtime);
    return { shown: typing };
  },

  'messages.reached'(runtime, { state, until }) {
    presentConversation(runtime);
    for (const row of runtime.reads.deliveredUntil(runtime.actor.key, until)) {
      if (isReached(metadataOf(row), state)) break;
      hearOfMessage(runtime, row, [{ source: { delivery_state: state } }], 'left out');
    }
    return null;
  },

  'messages.collect': collectMessages,

  'conversation.tag'(runtime, { tagId }) {
    putTag(runtime, tagId);
    return null;
  },

  'conversation.untag'(runtime, { tagId }) {
    takeTagOff(runtime, tagId);
    return null;
  },

  'conversation.drop-tag'(runtime, { tagId }) {
    dropTag(runtime, tagId);
    return null;
  },

  ...erasureHandlers,

  'attempt.start'(runtime, { messageId, effectId }) {
    const row = ownMessage(runtime, messageId);
    const effect = runtime.effectOf(row.key, sourceDelivery);
    if (effect === null || effect.id !== effectId || effect.ready === 0) return notStarted;
    if (isOfErased(runtime.row, row.key)) return notStarted;
    const stepped = stepDelivery(runtime, row, { type: 'attempt.started', at: runtime.now });
    if (stepped === null) return notStarted;
    const { context, revision } = stepped.owned;
    return { started: true, attempt: (context as MessageDeliveryContext).attempts, revision };
  },

  'attempt.finish'(runtime, { messageId, effectId, revision, outcome }) {
    const row = ownMessage(runtime, messageId);
    const effect = runtime.effectOf(row.key, sourceDelivery);
    if (effect === null || effect.id !== effectId) {
      if (isOfErased(runtime.row, row.key)) rememberEcho(runtime, row, outcome);
      return { retryAt: null };
    }
    // An owner that was replaced may say late what its call came to: that of the next one goes on.
    if (outcome.kind !== 'succeeded' && isInAnotherAttempt(row, revision)) return { retryAt: runtime.now };
    const sourceMessageId = givenId(runtime, row, outcome);
    const columns = sourceMessageId === null ? {} : namedMessage(runtime, row, sourceMessageId);
    const stepped = stepDelivery(runtime, row, eventOfOutcome(outcome, runtime.now), metadataAfter(outcome), columns);
    if (stepped !== null && sourceMessageId !== null) applyParkedToMessage(runtime, stepped.row, sourceMessageId);
    const owned = stepped?.owned ?? (JSON.parse(row.delivery ?? 'null') as OwnedState);
    settleEchoes(runtime, owned, sourceMessageId);
    return { retryAt: retryAtOf(runtime.now, owned) };
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
    if (effects.some(({ type }) => type === 'giveUpParked')) giveUpParked(runtime);
    if (effects.some(({ type }) => type === 'releaseEchoes')) releaseEchoes(runtime);
    if (reflectTyping(runtime, effects)) announceConversation(runtime);
    return;
  }
  const row = runtime.reads.messageByKey(subject);
  if (row !== null) stepDelivery(runtime, row, event);
}

/** @throws Failure `conversation_erased`: the hub does not know any more where it is at its source */
function mustBeReachable({ row, actor }: ConversationRuntime): void {
  if (!isErased(row)) return;
  throw new Failure(
    'conversation_erased',
    `What the hub knew of the person in the conversation ${actor.id} was erased. It can be answered once they write again.`,
  );
}

/** Another try has an id and receipts of its own; whatever the source still says of the earlier one finds the message. */
function resend(runtime: ConversationRuntime, row: MessageRow): SteppedDelivery | null {
  const { actor, row: conversation } = runtime;
  const { source_message_id: before } = row;
  const columns = before !== null && {
    source_message_id: null,
    ...knownByEcho(runtime, row, messageId(actor.id, conversation.source, before)),
  };
  return stepDelivery(runtime, row, { type: 'resend' }, ({ source: _, ...metadata }) => metadata, { ...columns });
}

/** The id that the source gave a sent message; null when none, or when another message of the conversation has it. */
function givenId(runtime: ConversationRuntime, { key }: MessageRow, outcome: AttemptOutcome): string | null {
  const { reads, row, actor } = runtime;
  if (outcome.kind !== 'succeeded' || outcome.sourceMessageId === null) return null;
  const { sourceMessageId } = outcome;
  const taken =
    reads.message(messageId(actor.id, row.source, sourceMessageId)) ?? reads.ownBySourceId(actor.key, sourceMessageId);
  return taken === null || taken.key === key ? sourceMessageId : null;
}

/** It was erased while its source was called, which may still push what it has: the id of that leads to it. */
function rememberEcho(runtime: ConversationRuntime, row: MessageRow, outcome: AttemptOutcome): void {
  const { actor, row: conversation } = runtime;
  const sourceMessageId = givenId(runtime, row, outcome);
  if (sourceMessageId === null) return;
  const echo = messageId(actor.id, conversation.source, sourceMessageId);
  runtime.change(messages.update(row.key, knownByEcho(runtime, row, echo)));
}

function setWorkflow(runtime: ConversationRuntime, workflow: 'OPEN' | 'CLOSED' | null): void {
  saveConversation(runtime, { workflow });
  announceConversationMetadata(runtime);
  announceConversation(runtime);
}
