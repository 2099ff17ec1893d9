import type { AttemptOutcome, MessageDeliveryContext, MessageDeliveryEvent } from '#machines/message-delivery.ts';
import type { EventOf } from '#machines/registry.ts';
import type { StepResult } from '#machines/step.ts';
import { objectAt, parseJson } from '../json.ts';
import { mergedWithinBounds } from '../metadata.ts';
import type { DeliveryState, JsonObject, MessageJson } from '../representation.ts';
import type { OwnedState } from '../runtime/kind.ts';
import { outbox } from '../store/tables.ts';
import { namespaces } from '../ids.ts';
import { uuidV5 } from '../uuid.ts';
import { type ConversationRuntime, isPresent } from './memory.ts';
import { neverBackwards } from './receipts.ts';
import { messages, type MessageRow } from './tables.ts';
import { announceConversation, announceMessageMetadata, updateMessage } from './writer.ts';

/** The kind of the outbox's rows that ask for a call to a source. */
export const sourceDelivery = 'source-delivery';

const machine = 'message-delivery';

/** Starts the delivery of a message that is about to be stored: its machine's first state, as stored. */
export function startDelivery(runtime: ConversationRuntime, key: number): string {
  const { result, owned } = runtime.stepOwned(machine, key, null, null);
  applyEffects(runtime, key, result, owned);
  return JSON.stringify(owned);
}

/** The same of one whose conversation is not there: in no lane. */
export function awaitConversation(runtime: ConversationRuntime, key: number): string {
  const { owned: first } = runtime.stepOwned(machine, key, null, null);
  // It leaves the lane in the turn in which it would have entered it.
  const { owned } = runtime.stepOwned(machine, key, first, { type: 'conversation.awaited' });
  return JSON.stringify(owned);
}

/** What a step of a delivery came to; `message` null: nothing that anyone outside can see has changed. */
export interface SteppedDelivery {
  /** The message as it is stored now. */
  row: MessageRow;
  owned: OwnedState;
  message: MessageJson | null;
}

/** Steps the delivery of a stored message and writes what it came to. Null: the event does not matter in its state. */
export function stepDelivery(
  runtime: ConversationRuntime,
  row: MessageRow,
  event: EventOf<'message-delivery'>,
  metadataOf: (metadata: JsonObject) => JsonObject = (metadata) => metadata,
  columns: Partial<MessageRow> = {},
): SteppedDelivery | null {
  if (row.delivery === null) return null;
  const { result, owned } = runtime.stepOwned(machine, row.key, JSON.parse(row.delivery) as OwnedState, event);
  if (!result.changed) return null;
  applyEffects(runtime, row.key, result, owned);
  const state = deliveryStateOf(result.value);
  // An error of before is over; what the source says now may have one that ends nothing.
  const { error: _, ...rest } = parseJson(row.metadata) as JsonObject;
  const said = metadataOf(rest);
  const error = state === 'delivered' ? null : (result.context as MessageDeliveryContext).error;
  const metadata = error === null ? said : { ...said, error };
  const stored = { ...columns, delivery: JSON.stringify(owned), state, metadata: JSON.stringify(metadata) };
  if (state === row.state && stored.metadata === row.metadata) {
    // Moves between the states inside pending are the hub's own affair: the journal shows them, no event does.
    runtime.change(messages.update(row.key, { delivery: stored.delivery }));
    return { row: { ...row, ...stored }, owned, message: null };
  }
  if (stored.metadata !== row.metadata) announceMessageMetadata(runtime, { ...row, metadata: stored.metadata });
  const message = updateMessage(runtime, row, stored);
  const isLast = runtime.row.last_message === row.key && isPresent(runtime.row);
  if (state !== row.state && isLast) announceConversation(runtime);
  return { row: { ...row, ...stored }, owned, message };
}

/** Whether the call for a message is in progress that another start has begun than the one of this revision. */
export function isInAnotherAttempt({ delivery }: Pick<MessageRow, 'delivery'>, revision: number): boolean {
  if (delivery === null) return false;
  const { value, revision: now } = JSON.parse(delivery) as OwnedState;
  return pendingStateOf(value) === 'calling' && now !== revision;
}

/** Where a value of the machine stands inside `pending`, null when it does not. */
export const pendingStateOf = (value: unknown): 'queued' | 'calling' | 'backingOff' | null =>
  typeof value === 'string' ? null : (value as { pending: 'queued' | 'calling' | 'backingOff' }).pending;

/** The delivery machine's event for an attempt's outcome, known at a time (epoch ms). */
export function eventOfOutcome(outcome: AttemptOutcome, at: number): MessageDeliveryEvent {
  switch (outcome.kind) {
    case 'succeeded':
      return { type: 'attempt.succeeded' };
    case 'unreachable': {
      const { error, jitter, giveUpAfter } = outcome;
      return { type: 'attempt.unreachable', error, jitter, at, giveUpAfter };
    }
    case 'throttled': {
      const { error, retryAfter, giveUpAfter } = outcome;
      return { type: 'attempt.throttled', error, retryAfter, at, giveUpAfter };
    }
    case 'outcome_unknown':
      return { type: 'attempt.outcome-unknown' };
    case 'awaits_recipient':
      return { type: 'recipient.awaited' };
    case 'rejected':
    case 'channel_not_connected':
      return { type: 'attempt.rejected', error: outcome.error };
  }
}

/** What an attempt's outcome adds to the message's metadata. */
export function metadataAfter(outcome: AttemptOutcome): (metadata: JsonObject) => JsonObject {
  return (metadata) => {
    if (outcome.kind === 'outcome_unknown') return { ...metadata, outcome_unknown: true };
    if (outcome.kind !== 'succeeded') return metadata;
    const answered = outcome.metadata as JsonObject;
    const said = neverBackwards(metadata, mergedWithinBounds(metadata, answered), [answered]);
    if (outcome.sourceMessageId === null) return said;
    return { ...said, source: { ...objectAt(said, 'source'), id: outcome.sourceMessageId } };
  };
}

/** The wait until the lane goes on: null when the message has left it, else epoch ms. */
export function retryAtOf(now: number, owned: OwnedState): number | null {
  const pending = pendingStateOf(owned.value);
  if (pending === null) return null;
  return pending === 'backingOff' ? now + (owned.context as MessageDeliveryContext).retryDelay : now;
}

/** The delivery state that a value of the machine means. */
export function deliveryStateOf(value: unknown): DeliveryState {
  return value === 'delivered' || value === 'failed' ? value : 'pending';
}

function applyEffects(runtime: ConversationRuntime, key: number, result: StepResult, owned: OwnedState): void {
  for (const effect of result.effects) {
    if (effect.type === 'enqueue') {
      enqueue(runtime, key, owned.revision);
      continue;
    }
    const waiting = runtime.effectOf(key, sourceDelivery);
    if (waiting === null) continue;
    if (effect.type === 'dequeue') runtime.change(outbox.remove(waiting.key));
    if (effect.type === 'hold') runtime.change(outbox.update(waiting.key, { ready: 0 }));
    if (effect.type === 'wake') runtime.change(outbox.update(waiting.key, { ready: 1 }));
  }
}

function enqueue(runtime: ConversationRuntime, message: number, revision: number): void {
  runtime.change(
    outbox.insert({
      key: runtime.nextKey(),
      id: uuidV5(namespaces.command, 'effect', String(message), String(revision)),
      kind: sourceDelivery,
      lane: runtime.actor.key,
      subject: message,
      ready: 1,
      body: null,
      at: runtime.now,
    }),
  );
}
