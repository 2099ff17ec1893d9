import { getShortestPaths } from 'xstate/graph';
import { type EventOf, type MachineId, registry } from '#machines/registry.ts';
import { initial, type StepResult, stepSnapshot } from '#machines/step.ts';

interface Sample<Id extends MachineId> {
  event: EventOf<Id>;
  /** How often walks take it. Ends are rare, so that walks get far. */
  weight: number;
}

const sample = <Id extends MachineId>(weight: number, event: EventOf<Id>): Sample<Id> => ({ event, weight });

export const retryTimer = 'xstate.after.retryDelay.message-delivery.pending.backingOff';
export const collectTimer = 'xstate.after.collectedFor.contact-import.collecting';
export const awaitedTimer = 'xstate.after.awaitedFor.conversation.presence.awaited';
export const echoTimer = 'xstate.after.echoParkedFor.conversation.echoes.parked';
export const typingTimer = 'xstate.after.typingShownFor.conversation.typing.shown';
export const redeliveryTimer = 'xstate.after.retryDelay.webhook-delivery.scheduled.backingOff';
export const probeTimer = 'xstate.after.retryDelay.webhook-subscription.Subscribed.failing.backingOff';
export const suspensionTimer = 'xstate.after.suspendAfter.webhook-subscription.Subscribed.failing';

/** Every event of every machine, with payload variants for each guard. */
const samples: { [Id in MachineId]: Sample<Id>[] } = {
  channel: [sample(1, { type: 'connect' }), sample(1, { type: 'disconnect' }), sample(1, { type: 'update' })],
  component: [
    sample(1, { type: 'adopt' }),
    sample(2, { type: 'install' }),
    sample(2, { type: 'uninstall' }),
    sample(2, { type: 'followed' }),
  ],
  contact: [
    sample(2, { type: 'create' }),
    sample(2, { type: 'change' }),
    sample(1, { type: 'delete' }),
    sample(8, { type: 'merge', into: 'other' }),
    sample(4, { type: 'absorbed', merges: 1 }),
    sample(1, { type: 'absorbed', merges: 2 }),
    sample(1, { type: 'given.back', merges: 1 }),
    sample(2, { type: 'given.back', merges: 2 }),
    sample(4, { type: 'revive' }),
    sample(2, { type: 'erase', parts: 1, partOf: null }),
    sample(2, { type: 'erase', parts: 2, partOf: { contact: 'b', erasure: 3 } }),
    sample(1, { type: 'parts.found', erasure: 1, parts: 1 }),
    sample(1, { type: 'part.erased', erasure: 1, erased: { contacts: 1, conversations: 2, messages: 3, files: 4 } }),
    sample(1, { type: 'part.erased', erasure: 2, erased: { contacts: 0, conversations: 0, messages: 0, files: 0 } }),
  ],
  'contact-import': [
    sample(4, { type: 'add' }),
    sample(2, { type: 'commit' }),
    sample(1, { type: 'finish' }),
    sample(1, { type: collectTimer }),
  ],
  conversation: [
    sample(1, { type: 'open' }),
    sample(4, { type: 'messages.received', fromContact: 1 }),
    sample(1, { type: 'messages.received', fromContact: 0 }),
    sample(1, { type: 'message.sent' }),
    sample(4, { type: 'send.park' }),
    sample(2, { type: 'echo.park' }),
    sample(1, { type: 'echo.settle' }),
    sample(1, { type: echoTimer }),
    sample(1, { type: 'read' }),
    sample(2, { type: 'typing.seen' }),
    sample(1, { type: 'typing.ended' }),
    sample(1, { type: typingTimer }),
    sample(1, { type: 'workflow.set', state: 'OPEN' }),
    sample(1, { type: 'workflow.set', state: 'CLOSED' }),
    sample(1, { type: 'workflow.remove' }),
    sample(2, { type: awaitedTimer }),
  ],
  'message-delivery': [
    sample(32, { type: 'attempt.started', at: 1_000 }),
    sample(1, { type: 'attempt.succeeded' }),
    sample(1, { type: 'attempt.rejected', error: 'No such recipient.' }),
    sample(2, { type: 'attempt.unreachable', error: 'No answer.', jitter: 0, at: 2_000, giveUpAfter: 60_000 }),
    sample(24, { type: 'attempt.unreachable', error: 'Status 503.', jitter: 0.999, at: 70_000, giveUpAfter: 60_000 }),
    sample(2, { type: 'attempt.throttled', error: 'Busy.', retryAfter: 30_000, at: 40_000, giveUpAfter: 60_000 }),
    sample(1, { type: 'attempt.throttled', error: 'Busy.', retryAfter: 30_000, at: 70_000, giveUpAfter: 60_000 }),
    sample(20, { type: 'attempt.outcome-unknown' }),
    sample(1, { type: 'recipient.awaited' }),
    sample(1, { type: 'collected' }),
    sample(1, { type: 'source.failed', error: 'Undeliverable.' }),
    sample(4, { type: 'resend' }),
    sample(1, { type: 'conversation.awaited' }),
    sample(2, { type: 'conversation.appeared' }),
    sample(1, { type: 'conversation.missing', error: 'It did not appear.' }),
    sample(1, { type: 'withdraw', error: 'It was erased.' }),
    sample(24, { type: retryTimer }),
  ],
  'webhook-delivery': [
    sample(1, { type: 'attempt.succeeded' }),
    sample(8, { type: 'attempt.failed', jitter: 0 }),
    sample(8, { type: 'attempt.failed', jitter: 0.999 }),
    sample(2, { type: 'attempt.throttled', retryAfter: 30_000 }),
    sample(1, { type: 'attempt.throttled', retryAfter: 10 ** 12 }),
    sample(2, { type: 'release' }),
    sample(2, { type: 'replay' }),
    sample(1, { type: 'expire' }),
    sample(8, { type: redeliveryTimer }),
  ],
  'webhook-subscription': [
    sample(3, { type: 'subscribe' }),
    sample(1, { type: 'unsubscribe' }),
    sample(3, { type: 'deliveries.succeeded' }),
    sample(4, { type: 'deliveries.failed', count: 1, jitter: 0, retryAfter: 0 }),
    sample(4, { type: 'deliveries.failed', count: 10, jitter: 0.999, retryAfter: 0 }),
    sample(1, { type: 'deliveries.failed', count: 64, jitter: 0.5, retryAfter: 60_000 }),
    sample(1, { type: 'endpoint.gone' }),
    sample(2, { type: 'caught-up' }),
    sample(2, { type: 'behind' }),
    sample(8, { type: probeTimer }),
    sample(2, { type: suspensionTimer }),
  ],
};

export const machineIds = Object.keys(registry) as MachineId[];

/** Each sample event once. */
export const sampleEvents = <Id extends MachineId>(machineId: Id): EventOf<Id>[] =>
  samples[machineId].map(({ event }) => event);

/** Each sample event as often as its weight: what walks choose from. */
export const weightedEvents = <Id extends MachineId>(machineId: Id): EventOf<Id>[] =>
  samples[machineId].flatMap(({ event, weight }) => Array<EventOf<Id>>(weight).fill(event));

/** The first state and the state after each event. */
export function trace<Id extends MachineId>(machineId: Id, events: EventOf<Id>[]): StepResult<Id>[] {
  const results = [initial(machineId)];
  for (const event of events) results.push(stepSnapshot(machineId, results.at(-1)!.snapshot, event));
  return results;
}

/**
 * Paths over every edge of the machine: the shortest path to each state, followed by each sample event.
 * @param same states with the same text count as one; must make the states finite
 */
export function paths<Id extends MachineId>(machineId: Id, same: (state: StepResult<Id>) => unknown): EventOf<Id>[][] {
  const shortest = getShortestPaths(registry[machineId].machine as never, {
    events: sampleEvents(machineId) as never,
    serializeState: (state: object) => JSON.stringify(same(state as StepResult<Id>)),
    limit: 10_000,
  });
  return shortest.flatMap(({ steps }) => {
    const taken = steps.filter(({ event }) => (event as { type: string }).type !== 'xstate.init');
    const path = taken.map(({ event }) => event as EventOf<Id>);
    return sampleEvents(machineId).map((event) => [...path, event]);
  });
}
