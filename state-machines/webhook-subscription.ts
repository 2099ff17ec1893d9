import { assign, setup } from 'xstate';
import { longestThrottle, spread } from './webhook-delivery.ts';

/** Consecutive failures after which the endpoint itself counts as failing. */
export const failuresUntilFailing = 10;
/** How long an endpoint may fail without a single success, in ms: five days (docs/api.md, "Webhooks"). */
export const suspendAfter = 5 * 24 * 60 * 60 * 1_000;
const firstProbeDelay = 5_000;
/** The longest wait between two probes of a failing endpoint, in ms, before jitter: its return is noticed soon. */
export const longestProbeDelay = 5 * 60 * 1_000;

export type WebhookSubscriptionEvent =
  /** Subscribed, changed or subscribed again. */
  | { type: 'subscribe' }
  | { type: 'unsubscribe' }
  | { type: 'deliveries.succeeded' }
  /**
   * `count` failures since the last success. `jitter` in [0, 1) is chosen by the caller; `retryAfter`: the longest wait
   * in ms that the receiver asked for, 0 when it did not.
   */
  | { type: 'deliveries.failed'; count: number; jitter: number; retryAfter: number }
  /** The receiver says that it is gone for good: status 410. */
  | { type: 'endpoint.gone' }
  /** The feed holds nothing more, or more, than was sent. */
  | { type: 'caught-up' }
  | { type: 'behind' };

export interface WebhookSubscriptionContext {
  /** Failures since the last success. */
  failures: number;
  /** Probes of a failing endpoint that were in vain. */
  probes: number;
  /** The wait before the next probe, in ms; meaningful in `backingOff`. */
  retryDelay: number;
}

/** The wait before the nth (from 0) probe of a failing endpoint, in ms. */
export const probeDelayOf = (probes: number, jitter: number, retryAfter: number): number =>
  Math.max(
    spread(Math.min(longestProbeDelay, firstProbeDelay * 2 ** probes), jitter),
    Math.min(retryAfter, longestThrottle),
  );

/** One receiver's wish for events, and how its endpoint does. */
export const webhookSubscription = setup({
  types: {
    context: {} as WebhookSubscriptionContext,
    events: {} as WebhookSubscriptionEvent,
  },
  actions: {
    /** Effect: publish `webhook.updated`. */
    announce: () => {},
    /** Effect: every delivery that backs off becomes due. */
    releaseAll: () => {},
    countFailures: assign({ failures: ({ context }, params: { count: number }) => context.failures + params.count }),
    countProbe: assign({ probes: ({ context }) => context.probes + 1 }),
    forgetFailures: assign({ failures: 0, probes: 0, retryDelay: 0 }),
    wait: assign({
      retryDelay: ({ context }, params: { jitter: number; retryAfter: number }) =>
        probeDelayOf(context.probes, params.jitter, params.retryAfter),
    }),
  },
  guards: {
    failedBefore: ({ context }) => context.failures > 0,
    keepsFailing: ({ context }, params: { count: number }) => context.failures + params.count >= failuresUntilFailing,
  },
  delays: {
    retryDelay: ({ context }) => context.retryDelay,
    suspendAfter,
  },
}).createMachine({
  id: 'webhook-subscription',
  context: { failures: 0, probes: 0, retryDelay: 0 },
  initial: 'Unsubscribed',
  states: {
    Unsubscribed: {
      on: { subscribe: { target: 'Subscribed', actions: ['releaseAll', 'announce'] } },
    },
    Subscribed: {
      initial: 'healthy',
      on: {
        unsubscribe: { target: 'Unsubscribed', actions: 'announce' },
        'endpoint.gone': { target: 'Unsubscribed', actions: 'announce' },
      },
      states: {
        healthy: {
          initial: 'idle',
          entry: 'forgetFailures',
          on: {
            subscribe: { actions: 'announce' },
            'deliveries.succeeded': { guard: 'failedBefore', actions: 'forgetFailures' },
            'deliveries.failed': [
              {
                guard: { type: 'keepsFailing', params: ({ event }) => ({ count: event.count }) },
                target: 'failing',
                actions: [
                  { type: 'countFailures', params: ({ event }) => ({ count: event.count }) },
                  {
                    type: 'wait',
                    params: ({ event }) => ({ jitter: event.jitter, retryAfter: event.retryAfter }),
                  },
                ],
              },
              { actions: { type: 'countFailures', params: ({ event }) => ({ count: event.count }) } },
            ],
          },
          states: {
            idle: { on: { behind: 'delivering' } },
            delivering: { on: { 'caught-up': 'idle' } },
          },
        },
        failing: {
          initial: 'backingOff',
          after: { suspendAfter: 'suspended' },
          on: {
            subscribe: { target: 'healthy', actions: ['releaseAll', 'announce'] },
            // Also of an attempt that began before the endpoint was given up: any success shows that it is back.
            'deliveries.succeeded': { target: 'healthy', actions: 'releaseAll' },
          },
          states: {
            backingOff: { after: { retryDelay: 'probing' } },
            probing: {
              on: {
                'deliveries.failed': {
                  target: 'backingOff',
                  actions: [
                    'countProbe',
                    {
                      type: 'wait',
                      params: ({ event }) => ({ jitter: event.jitter, retryAfter: event.retryAfter }),
                    },
                  ],
                },
                // There is nothing to probe with, and nothing to lose.
                'caught-up': '#webhook-subscription.Subscribed.healthy',
              },
            },
          },
        },
        suspended: {
          entry: 'announce',
          on: { subscribe: { target: 'healthy', actions: ['releaseAll', 'announce'] } },
        },
      },
    },
  },
});
