import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventOf } from '#machines/registry.ts';
import { initial, step, type StepResult } from '#machines/step.ts';
import { probeDelayOf, suspendAfter, type WebhookSubscriptionContext } from '#machines/webhook-subscription.ts';
import { paths, probeTimer, sampleEvents, suspensionTimer, trace, weightedEvents } from './samples.ts';

type State = StepResult<'webhook-subscription'>;
type Event = EventOf<'webhook-subscription'>;

const idle = { Subscribed: { healthy: 'idle' } };
const delivering = { Subscribed: { healthy: 'delivering' } };
const backingOff = { Subscribed: { failing: 'backingOff' } };
const probing = { Subscribed: { failing: 'probing' } };
const suspended = { Subscribed: 'suspended' };
const states = ['Unsubscribed', idle, delivering, backingOff, probing, suspended];

const context = (changes: Partial<WebhookSubscriptionContext> = {}): WebhookSubscriptionContext => ({
  failures: 0,
  probes: 0,
  retryDelay: 0,
  ...changes,
});

const subscribe: Event = { type: 'subscribe' };
const unsubscribe: Event = { type: 'unsubscribe' };
const gone: Event = { type: 'endpoint.gone' };
const succeeded: Event = { type: 'deliveries.succeeded' };
const caughtUp: Event = { type: 'caught-up' };
const failed = (count: number, retryAfter = 0): Event => ({
  type: 'deliveries.failed',
  count,
  jitter: 0.5,
  retryAfter,
});

type Row = [
  state: unknown,
  before: Partial<WebhookSubscriptionContext>,
  event: Event,
  next: unknown,
  effects: string[],
  after: Partial<WebhookSubscriptionContext>,
];

const table: Row[] = [
  ['Unsubscribed', { failures: 12 }, subscribe, idle, ['releaseAll', 'announce'], {}],
  [idle, { failures: 2 }, subscribe, idle, ['announce'], { failures: 2 }],
  [delivering, { failures: 2 }, subscribe, delivering, ['announce'], { failures: 2 }],
  [idle, {}, { type: 'behind' }, delivering, [], {}],
  [delivering, {}, caughtUp, idle, [], {}],
  [idle, { failures: 3 }, succeeded, idle, [], {}],
  [delivering, { failures: 9 }, succeeded, delivering, [], {}],
  [delivering, { failures: 3 }, failed(6), delivering, [], { failures: 9 }],
  [delivering, { failures: 9 }, failed(1), backingOff, [], { failures: 10, retryDelay: 5_000 }],
  [idle, {}, failed(64, 20_000), backingOff, [], { failures: 64, retryDelay: 20_000 }],
  [backingOff, { failures: 10 }, { type: probeTimer }, probing, [], { failures: 10 }],
  [backingOff, { failures: 10 }, succeeded, idle, ['releaseAll'], {}],
  [backingOff, { failures: 10, probes: 4 }, subscribe, idle, ['releaseAll', 'announce'], {}],
  [backingOff, {}, { type: suspensionTimer }, suspended, ['announce'], {}],
  [probing, { probes: 2 }, failed(1), backingOff, [], { probes: 3, retryDelay: 40_000 }],
  [probing, { probes: 20 }, failed(1), backingOff, [], { probes: 21, retryDelay: 300_000 }],
  [probing, { failures: 10, probes: 4 }, succeeded, idle, ['releaseAll'], {}],
  [probing, { probes: 4 }, subscribe, idle, ['releaseAll', 'announce'], {}],
  [probing, { failures: 10 }, caughtUp, idle, [], {}],
  [probing, {}, { type: suspensionTimer }, suspended, ['announce'], {}],
  [suspended, { failures: 10, probes: 9 }, subscribe, idle, ['releaseAll', 'announce'], {}],
  ...states.slice(1).flatMap((state): Row[] => [
    [state, {}, unsubscribe, 'Unsubscribed', ['announce'], {}],
    [state, {}, gone, 'Unsubscribed', ['announce'], {}],
  ]),
];

/** What is wrong with a way of states; `events[n]` leads from `states[n]` to `states[n + 1]`. */
function violations(events: Event[], way: State[]): string[] {
  const found: string[] = [];
  const pending = new Set<string>();
  way.forEach((state, index) => {
    const event = events[index - 1]?.type ?? 'start';
    const text = JSON.stringify(state.value);
    for (const name of state.timers.cancel) pending.delete(name);
    pending.delete(event);
    for (const { name } of state.timers.set) pending.add(name);
    const wanted = text.includes('failing') ? [suspensionTimer] : [];
    if (text.includes('backingOff')) wanted.push(probeTimer);
    if ([...pending].sort().join() !== wanted.sort().join()) found.push(`${event}: timers ${[...pending]} in ${text}`);
    if (text.includes('healthy') && state.context.failures >= 10) found.push(`${event}: healthy with failures`);
  });
  return found;
}

describe('webhook subscription', () => {
  it('starts unsubscribed and says nothing', () => {
    expect(initial('webhook-subscription')).toMatchObject({ value: 'Unsubscribed', context: context(), effects: [] });
  });

  it.each(table)('goes from %j %j with %j to %j', (state, before, event, next, effects, after) => {
    const result = step('webhook-subscription', { value: state, context: context(before) }, event);
    expect(result.value).toEqual(next);
    expect(result.effects.map(({ type }) => type)).toEqual(effects);
    expect(result.context).toEqual(context({ ...(next === 'Unsubscribed' ? before : {}), ...after }));
    expect(result.changed).toBe(true);
  });

  it('stays for every event that the table does not name', () => {
    for (const value of states) {
      const named = table.filter(([state]) => state === value).map(([, , event]) => event.type);
      if (value === idle) named.push('deliveries.failed');
      for (const event of sampleEvents('webhook-subscription').filter(({ type }) => !named.includes(type))) {
        const result = step('webhook-subscription', { value, context: context() }, event);
        expect(result).toMatchObject({ value, context: context(), changed: false, effects: [] });
      }
    }
  });

  it('takes no step for successes while nothing failed', () => {
    for (const value of [idle, delivering]) {
      expect(step('webhook-subscription', { value, context: context() }, succeeded).changed).toBe(false);
    }
  });

  it('counts the five days from the first of the failures', () => {
    const way = trace('webhook-subscription', [subscribe, failed(10), { type: probeTimer }, failed(1)]);
    const set = way.flatMap(({ timers }) => timers.set.filter(({ name }) => name === suspensionTimer));
    expect(set).toMatchObject([{ delay: suspendAfter }]);
    expect(way.flatMap(({ timers }) => timers.cancel)).not.toContain(suspensionTimer);
  });

  it('bounds the wait between two probes', () => {
    const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const property = fc.property(fc.nat(10_000), jitters, (probes, jitter) => {
      const delay = probeDelayOf(probes, jitter, 0);
      expect(Number.isInteger(delay) && delay >= 4_000 && delay <= 360_000).toBe(true);
    });
    fc.assert(property, { seed: 3 });
  });

  it('keeps its invariants on every path', () => {
    const ways = paths('webhook-subscription', ({ value, context: { failures, probes } }) => [
      value,
      Math.min(failures, 10),
      Math.min(probes, 3),
    ]);
    expect(ways.length).toBeGreaterThan(200);
    for (const events of ways) expect(violations(events, trace('webhook-subscription', events))).toEqual([]);
  });

  it('keeps its invariants on random walks', () => {
    const walk = fc.array(fc.constantFrom(...weightedEvents('webhook-subscription')), { maxLength: 50 });
    const property = fc.property(walk, (events) => {
      expect(violations(events, trace('webhook-subscription', events))).toEqual([]);
    });
    fc.assert(property, { numRuns: 500, seed: 7 });
  });

  it('finds a broken invariant', () => {
    const good = initial('webhook-subscription');
    const broken: State = { ...good, value: backingOff as State['value'] };
    expect(violations([subscribe], [good, broken])).toEqual([
      'subscribe: timers  in {"Subscribed":{"failing":"backingOff"}}',
    ]);
  });
});
