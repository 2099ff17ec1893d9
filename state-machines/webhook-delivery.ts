import { assign, setup } from 'xstate';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Waits between the tries of one delivery, in ms, before jitter (docs/api.md, "Webhooks"). After the last one it is
 * dead.
 */
export const retrySchedule: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];

/** The longest wait that a receiver can ask for, in ms: a mistaken Retry-After must not park a delivery for good. */
export const longestThrottle = 24 * hour;

export type WebhookDeliveryEvent =
  | { type: 'attempt.succeeded' }
  /** `jitter` in [0, 1): chosen by the caller, so that the machine stays pure. */
  | { type: 'attempt.failed'; jitter: number }
  /** The receiver asked to wait, in ms. Not counted as a try. */
  | { type: 'attempt.throttled'; retryAfter: number }
  /** The receiver is back: no delivery waits any longer. */
  | { type: 'release' }
  /** A person, or a cursor that was moved back, wants it again. */
  | { type: 'replay' }
  /** The event is no longer kept. */
  | { type: 'expire' };

export interface WebhookDeliveryContext {
  /** Tries that failed so far. */
  failures: number;
  /** The wait before the next try, in ms; meaningful in `backingOff`. */
  retryDelay: number;
}

/** A wait with ±20 % of jitter, in whole ms. */
export const spread = (delay: number, jitter: number): number => Math.round(delay * (0.8 + 0.4 * jitter));

/**
 * The way of one event to one receiver, from its first failure (or its replay) on: a delivery that succeeds at once
 * needs no machine. Its lane, the event's conversation or channel, waits until it leaves `scheduled`.
 */
export const webhookDelivery = setup({
  types: {
    context: {} as WebhookDeliveryContext,
    events: {} as WebhookDeliveryEvent,
  },
  actions: {
    /** Effect: the dispatcher may send it (again). */
    makeReady: () => {},
    /** Effect: the dispatcher leaves it, and with it its lane, alone. */
    hold: () => {},
    countFailure: assign({ failures: ({ context }) => context.failures + 1 }),
    clear: assign({ failures: 0, retryDelay: 0 }),
    wait: assign({ retryDelay: (_, params: { delay: number }) => params.delay }),
  },
  guards: {
    triesLeft: ({ context }) => context.failures < retrySchedule.length,
  },
  delays: {
    retryDelay: ({ context }) => context.retryDelay,
  },
}).createMachine({
  id: 'webhook-delivery',
  context: { failures: 0, retryDelay: 0 },
  initial: 'scheduled',
  states: {
    scheduled: {
      initial: 'due',
      states: {
        due: {
          entry: 'makeReady',
          on: {
            'attempt.failed': [
              {
                guard: 'triesLeft',
                target: 'backingOff',
                actions: [
                  {
                    type: 'wait',
                    params: ({ context, event }) => ({ delay: spread(retrySchedule[context.failures]!, event.jitter) }),
                  },
                  'countFailure',
                ],
              },
              { target: '#webhook-delivery.dead', actions: 'countFailure' },
            ],
          },
        },
        // A failure in here is that of a probe, made before its time: it says nothing about the schedule.
        backingOff: {
          entry: 'hold',
          on: { release: 'due', replay: 'due' },
          after: { retryDelay: 'due' },
        },
      },
      on: {
        'attempt.succeeded': 'delivered',
        'attempt.throttled': {
          target: '.backingOff',
          actions: {
            type: 'wait',
            params: ({ event }) => ({ delay: Math.min(event.retryAfter, longestThrottle) }),
          },
        },
        expire: 'dead',
      },
    },
    delivered: {
      on: { replay: { target: 'scheduled', actions: 'clear' } },
    },
    dead: {
      on: {
        'attempt.succeeded': 'delivered',
        replay: { target: 'scheduled', actions: 'clear' },
      },
    },
  },
});
