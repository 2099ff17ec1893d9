import { assign, setup } from 'xstate';

/** Tries of one send before it fails as unreachable (docs/api.md, "Sending"). */
export const maximumAttempts = 5;
/** Upper bound of the wait between two tries, in ms. */
export const maximumRetryDelay = 60_000;
const firstRetryDelay = 1_000;
/** What a person reads when the last try ended without an answer. */
export const unknownOutcomeError = 'The hub stopped during the last try: the source may or may not have the message.';

/** Why a call to a source did not deliver: the closed list of docs/api.md, "Sending". */
export type AttemptOutcome =
  | { kind: 'succeeded'; sourceMessageId: string | null; metadata: Record<string, unknown> }
  | { kind: 'rejected'; error: string }
  /** `jitter` in [0, 1): chosen by the caller, so that the machine stays pure. */
  | { kind: 'unreachable'; error: string; jitter: number }
  /** The source asked to wait, in ms. Not counted as a try. */
  | { kind: 'throttled'; error: string; retryAfter: number }
  | { kind: 'channel_not_connected'; error: string }
  /** The hub stopped between the call and its answer. */
  | { kind: 'outcome_unknown' };

export type MessageDeliveryEvent =
  | { type: 'attempt.started' }
  | { type: 'attempt.succeeded' }
  | { type: 'attempt.rejected'; error: string }
  | { type: 'attempt.unreachable'; error: string; jitter: number }
  | { type: 'attempt.throttled'; retryAfter: number }
  | { type: 'attempt.outcome-unknown' }
  | { type: 'resend' };

export interface MessageDeliveryContext {
  /** Tries counted so far. */
  attempts: number;
  /** The wait before the next try, in ms; meaningful in `backingOff`. */
  retryDelay: number;
  error: string | null;
  /** Attempts whose outcome the hub does not know. */
  unknownOutcomes: number;
}

/** Full jitter: uniform between 0 and the exponential bound. */
export const retryDelayAfter = (attempts: number, jitter: number): number =>
  Math.floor(jitter * Math.min(maximumRetryDelay, firstRetryDelay * 2 ** attempts));

/**
 * The way of one outbound message to its source. While it is `pending` its effect stays in the outbox, at the head of
 * its conversation's lane until it leaves `pending`, so that a retry never overtakes.
 */
export const messageDelivery = setup({
  types: {
    context: {} as MessageDeliveryContext,
    events: {} as MessageDeliveryEvent,
  },
  actions: {
    /** Effect: put the send at the end of its conversation's lane. */
    enqueue: () => {},
    /** Effect: the lane may call the source (again). */
    wake: () => {},
    /** Effect: the lane waits; the head stays. */
    hold: () => {},
    /** Effect: take the send out of its lane. */
    dequeue: () => {},
    countAttempt: assign({ attempts: ({ context }) => context.attempts + 1 }),
    markUnknown: assign({ unknownOutcomes: ({ context }) => context.unknownOutcomes + 1 }),
    clear: assign({ attempts: 0, retryDelay: 0, error: null }),
    keepError: assign({ error: (_, params: { error: string }) => params.error }),
    wait: assign({ retryDelay: (_, params: { delay: number }) => params.delay }),
  },
  guards: {
    triesLeft: ({ context }) => context.attempts < maximumAttempts,
  },
  delays: {
    retryDelay: ({ context }) => context.retryDelay,
  },
}).createMachine({
  id: 'message-delivery',
  context: { attempts: 0, retryDelay: 0, error: null, unknownOutcomes: 0 },
  initial: 'pending',
  states: {
    pending: {
      initial: 'queued',
      entry: 'enqueue',
      exit: 'dequeue',
      states: {
        queued: {
          on: { 'attempt.started': 'calling' },
        },
        calling: {
          entry: 'countAttempt',
          on: {
            'attempt.unreachable': [
              {
                guard: 'triesLeft',
                target: 'backingOff',
                actions: [
                  { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
                  {
                    type: 'wait',
                    params: ({ context, event }) => ({ delay: retryDelayAfter(context.attempts, event.jitter) }),
                  },
                ],
              },
              {
                target: '#message-delivery.failed',
                actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
              },
            ],
            'attempt.throttled': {
              target: 'backingOff',
              actions: [
                assign({ attempts: ({ context }) => context.attempts - 1 }),
                { type: 'wait', params: ({ event }) => ({ delay: event.retryAfter }) },
              ],
            },
            'attempt.outcome-unknown': [
              { guard: 'triesLeft', target: 'queued', actions: ['markUnknown', 'wake'] },
              {
                target: '#message-delivery.failed',
                actions: ['markUnknown', { type: 'keepError', params: { error: unknownOutcomeError } }],
              },
            ],
          },
        },
        backingOff: {
          entry: 'hold',
          after: { retryDelay: { target: 'queued', actions: 'wake' } },
        },
      },
      // Also outside of `calling`: a late outcome of an earlier try may have ended the state, the source's answer stands.
      on: {
        'attempt.succeeded': 'delivered',
        'attempt.rejected': {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    delivered: {},
    failed: {
      on: { resend: { target: 'pending', actions: 'clear' } },
    },
  },
});
