import { assign, setup } from 'xstate';

/** Calls of one send that must have found nobody before it is given up (docs/api.md, "Sending"). */
export const fewestAttempts = 5;
/** Unknown outcomes of one send that are followed by another call: each may have brought the contact a message. */
export const mostUnknownOutcomes = 4;
/** Upper bound of the wait between two tries, in ms. */
export const maximumRetryDelay = 60_000;
const firstRetryDelay = 1_000;
/** What a person reads when the last try ended without an answer. */
export const unknownOutcomeError = 'The hub stopped during the last try: the source may or may not have the message.';

/** Why a call to a source did not deliver: the closed list of docs/api.md, "Sending". */
export type AttemptOutcome =
  | { kind: 'succeeded'; sourceMessageId: string | null; metadata: Record<string, unknown> }
  | { kind: 'rejected'; error: string }
  /** `jitter` in [0, 1) and `giveUpAfter` (ms): chosen by the caller, so that the machine stays pure. */
  | { kind: 'unreachable'; error: string; jitter: number; giveUpAfter: number }
  /** The source asked to wait, in ms. Not counted as a try. */
  | { kind: 'throttled'; error: string; retryAfter: number; giveUpAfter: number }
  | { kind: 'channel_not_connected'; error: string }
  /** Nobody was called: the recipient comes for it. */
  | { kind: 'awaits_recipient' }
  /** The hub stopped between the call and its answer. */
  | { kind: 'outcome_unknown' };

/** When something happened, and how long after the first call a send is given up. */
interface Moment {
  at: number;
  giveUpAfter: number;
}

export type MessageDeliveryEvent =
  /** `at`, here and below: epoch ms. */
  | { type: 'attempt.started'; at: number }
  | { type: 'attempt.succeeded' }
  | { type: 'attempt.rejected'; error: string }
  | ({ type: 'attempt.unreachable'; error: string; jitter: number } & Moment)
  | ({ type: 'attempt.throttled'; error: string; retryAfter: number } & Moment)
  | { type: 'attempt.outcome-unknown' }
  /** Nobody is to be called: the recipient comes for it. */
  | { type: 'recipient.awaited' }
  /** The recipient has it. */
  | { type: 'collected' }
  /** The source says of a message that it took that it failed after all. */
  | { type: 'source.failed'; error: string }
  | { type: 'resend' }
  /** The conversation that it is for is not there (yet). */
  | { type: 'conversation.awaited' }
  | { type: 'conversation.appeared' }
  | { type: 'conversation.missing'; error: string }
  /** It is not to go out any more. */
  | { type: 'withdraw'; error: string };

export interface MessageDeliveryContext {
  /** Tries counted so far. */
  attempts: number;
  /** The wait before the next try, in ms; meaningful in `backingOff`. */
  retryDelay: number;
  /** Why it failed, or why it waits: the source asked for it. */
  error: string | null;
  /** Attempts whose outcome the hub does not know. */
  unknownOutcomes: number;
  /** When the first call since it was sent, or resent, was made (epoch ms); null before it. */
  triedSince: number | null;
}

/** Full jitter: uniform between 0 and the exponential bound. */
export const retryDelayAfter = (attempts: number, jitter: number): number =>
  Math.floor(jitter * Math.min(maximumRetryDelay, firstRetryDelay * 2 ** attempts));

/** What is left of the time that a send is tried for, in ms. */
const timeLeft = ({ triedSince }: MessageDeliveryContext, { at, giveUpAfter }: Moment): number =>
  (triedSince ?? at) + giveUpAfter - at;

const givenUpAs = (error: string, { giveUpAfter }: Moment): string =>
  `${error} (given up after ${Math.round(giveUpAfter / 1_000)} s)`;

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
    countAttempt: assign({
      attempts: ({ context }) => context.attempts + 1,
      triedSince: ({ context }, params: { at: number }) => context.triedSince ?? params.at,
    }),
    uncountAttempt: assign({ attempts: ({ context }) => context.attempts - 1 }),
    markUnknown: assign({ unknownOutcomes: ({ context }) => context.unknownOutcomes + 1 }),
    clear: assign({ attempts: 0, retryDelay: 0, error: null, unknownOutcomes: 0, triedSince: null }),
    clearError: assign({ error: null }),
    keepError: assign({ error: (_, params: { error: string }) => params.error }),
    wait: assign({ retryDelay: (_, params: { delay: number }) => params.delay }),
  },
  guards: {
    // A call whose outcome is unknown may not have been made.
    isTriedLongEnough: ({ context }, params: Moment) =>
      context.attempts - context.unknownOutcomes >= fewestAttempts && timeLeft(context, params) <= 0,
    isWaitedLongEnough: ({ context }, params: Moment) => timeLeft(context, params) <= 0,
    isUnknownTooOften: ({ context }) => context.unknownOutcomes >= mostUnknownOutcomes,
  },
  delays: {
    retryDelay: ({ context }) => context.retryDelay,
  },
}).createMachine({
  id: 'message-delivery',
  context: { attempts: 0, retryDelay: 0, error: null, unknownOutcomes: 0, triedSince: null },
  initial: 'pending',
  states: {
    pending: {
      initial: 'queued',
      entry: 'enqueue',
      exit: 'dequeue',
      states: {
        queued: {
          on: {
            'conversation.awaited': '#message-delivery.awaiting',
            'recipient.awaited': '#message-delivery.uncollected',
            'attempt.started': {
              target: 'calling',
              actions: { type: 'countAttempt', params: ({ event }) => ({ at: event.at }) },
            },
          },
        },
        calling: {
          on: {
            'attempt.unreachable': [
              {
                guard: { type: 'isTriedLongEnough', params: ({ event }) => event },
                target: '#message-delivery.failed',
                actions: { type: 'keepError', params: ({ event }) => ({ error: givenUpAs(event.error, event) }) },
              },
              {
                target: 'backingOff',
                actions: [
                  'clearError',
                  {
                    type: 'wait',
                    params: ({ context, event }) => ({ delay: retryDelayAfter(context.attempts, event.jitter) }),
                  },
                ],
              },
            ],
            'attempt.throttled': [
              {
                guard: { type: 'isWaitedLongEnough', params: ({ event }) => event },
                target: '#message-delivery.failed',
                actions: { type: 'keepError', params: ({ event }) => ({ error: givenUpAs(event.error, event) }) },
              },
              {
                target: 'backingOff',
                actions: [
                  'uncountAttempt',
                  {
                    type: 'keepError',
                    params: ({ event }) => ({ error: `${event.error} (the source asked to wait)` }),
                  },
                  {
                    type: 'wait',
                    // The last call is made when the time is up, however long the source asked to wait.
                    params: ({ context, event }) => ({ delay: Math.min(event.retryAfter, timeLeft(context, event)) }),
                  },
                ],
              },
            ],
            'attempt.outcome-unknown': [
              {
                guard: 'isUnknownTooOften',
                target: '#message-delivery.failed',
                actions: ['markUnknown', { type: 'keepError', params: { error: unknownOutcomeError } }],
              },
              { target: 'queued', actions: ['markUnknown', 'wake'] },
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
        // It may be there before its lane has got to it.
        collected: 'delivered',
        'attempt.rejected': {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
        withdraw: {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    /** In no lane: nobody can be called for a conversation that is not there. */
    awaiting: {
      on: {
        'conversation.appeared': 'pending',
        'conversation.missing': {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
        withdraw: {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    /** In no lane: however long the recipient stays away, nobody waits. */
    uncollected: {
      on: {
        collected: 'delivered',
        withdraw: {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    delivered: {
      on: {
        'source.failed': {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    failed: {
      on: {
        'source.failed': { actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) } },
        resend: { target: 'pending', actions: 'clear' },
        'conversation.awaited': { target: 'awaiting', actions: 'clear' },
      },
    },
  },
});
