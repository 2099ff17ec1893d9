import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventOf } from '#machines/registry.ts';
import { initial, step, type StepResult } from '#machines/step.ts';
import { longestThrottle, retrySchedule, spread, type WebhookDeliveryContext } from '#machines/webhook-delivery.ts';
import { paths, redeliveryTimer, sampleEvents, trace, weightedEvents } from './samples.ts';

type State = StepResult<'webhook-delivery'>;
type Event = EventOf<'webhook-delivery'>;

const due = { scheduled: 'due' };
const backingOff = { scheduled: 'backingOff' };
const maximumTries = retrySchedule.length + 1;

const context = (changes: Partial<WebhookDeliveryContext> = {}): WebhookDeliveryContext => ({
  failures: 0,
  retryDelay: 0,
  ...changes,
});

const failed: Event = { type: 'attempt.failed', jitter: 0.5 };
const succeeded: Event = { type: 'attempt.succeeded' };
const throttled: Event = { type: 'attempt.throttled', retryAfter: 30_000 };
const replay: Event = { type: 'replay' };
const expire: Event = { type: 'expire' };

type Row = [
  state: unknown,
  before: Partial<WebhookDeliveryContext>,
  event: Event,
  next: unknown,
  effects: string[],
  after: Partial<WebhookDeliveryContext>,
];

const table: Row[] = [
  [due, {}, failed, backingOff, ['hold'], { failures: 1, retryDelay: 5_000 }],
  [due, { failures: 1 }, failed, backingOff, ['hold'], { failures: 2, retryDelay: 300_000 }],
  [due, { failures: 6 }, failed, backingOff, ['hold'], { failures: 7, retryDelay: 36_000_000 }],
  [due, { failures: 7 }, failed, 'dead', [], { failures: 8 }],
  [due, { failures: 3 }, throttled, backingOff, ['hold'], { failures: 3, retryDelay: 30_000 }],
  [due, { failures: 3 }, succeeded, 'delivered', [], { failures: 3 }],
  [due, {}, expire, 'dead', [], {}],
  [backingOff, { failures: 2 }, succeeded, 'delivered', [], { failures: 2 }],
  [backingOff, { failures: 2 }, throttled, backingOff, ['hold'], { failures: 2, retryDelay: 30_000 }],
  [backingOff, { failures: 2 }, { type: 'release' }, due, ['makeReady'], { failures: 2 }],
  [backingOff, { failures: 2 }, replay, due, ['makeReady'], { failures: 2 }],
  [backingOff, { failures: 2 }, { type: redeliveryTimer }, due, ['makeReady'], { failures: 2 }],
  [backingOff, {}, expire, 'dead', [], {}],
  ['delivered', { failures: 3, retryDelay: 9 }, replay, due, ['makeReady'], {}],
  ['dead', { failures: 8, retryDelay: 9 }, replay, due, ['makeReady'], {}],
  ['dead', { failures: 8 }, succeeded, 'delivered', [], { failures: 8 }],
];

/** What is wrong with a way of states; `events[n]` leads from `states[n]` to `states[n + 1]`. */
function violations(events: Event[], states: State[]): string[] {
  const found: string[] = [];
  let ready = false;
  states.forEach((state, index) => {
    const before = states[index - 1];
    const event = events[index - 1]?.type ?? 'start';
    for (const { type } of state.effects) ready = type === 'makeReady';
    const value = JSON.stringify(state.value);
    if (typeof state.value === 'object' && ready !== (value === JSON.stringify(due)))
      found.push(`${event}: ready is ${ready} in ${value}`);
    if (before?.value === 'delivered' && state.changed && event !== 'replay') found.push(`${event}: left delivered`);
    if (state.value === 'dead' && before?.value !== 'dead' && event !== 'expire') {
      if (state.context.failures !== maximumTries) found.push(`${event}: dead with tries left`);
    }
    const { failures, retryDelay } = state.context;
    if (failures > maximumTries) found.push(`${event}: ${failures} failures`);
    const waits = state.timers.set.map(({ name, delay }) => `${name} ${delay}`);
    const entered = state.effects.some(({ type }) => type === 'hold');
    if (waits.join() !== (entered ? `${redeliveryTimer} ${retryDelay}` : '')) found.push(`${event}: timers ${waits}`);
  });
  return found;
}

describe('webhook delivery', () => {
  it('starts scheduled and due', () => {
    const { value, effects, context: first } = initial('webhook-delivery');
    expect([value, effects.map(({ type }) => type), first]).toEqual([due, ['makeReady'], context()]);
  });

  it.each(table)('goes from %j %j with %j to %j', (state, before, event, next, effects, after) => {
    const result = step('webhook-delivery', { value: state, context: context(before) }, event);
    expect(result.value).toEqual(next);
    expect(result.effects.map(({ type }) => type)).toEqual(effects);
    expect(result.context).toEqual(context(after));
    expect(result.changed).toBe(true);
  });

  it('stays for every event that the table does not name', () => {
    for (const value of [due, backingOff, 'delivered', 'dead']) {
      const named = table.filter(([state]) => state === value).map(([, , event]) => event.type);
      for (const event of sampleEvents('webhook-delivery').filter(({ type }) => !named.includes(type))) {
        const result = step('webhook-delivery', { value, context: context() }, event);
        expect(result).toMatchObject({ value, context: context(), changed: false, effects: [] });
      }
    }
  });

  it('waits as long as a receiver asks, within bounds', () => {
    const state = { value: due, context: context() };
    const asked: Event = { type: 'attempt.throttled', retryAfter: 10 ** 12 };
    expect(step('webhook-delivery', state, asked).timers.set).toMatchObject([{ delay: longestThrottle }]);
  });

  it('cancels the wait when it leaves it', () => {
    const waiting = { value: backingOff, context: context() };
    expect(step('webhook-delivery', waiting, succeeded).timers).toEqual({ set: [], cancel: [redeliveryTimer] });
  });

  it('keeps its invariants on every path', () => {
    const ways = paths('webhook-delivery', ({ value, context: { failures } }) => [value, failures]);
    expect(ways.length).toBeGreaterThan(200);
    for (const events of ways) expect(violations(events, trace('webhook-delivery', events))).toEqual([]);
  });

  it('keeps its invariants on random walks', () => {
    const walk = fc.array(fc.constantFrom(...weightedEvents('webhook-delivery')), { maxLength: 50 });
    const property = fc.property(walk, (events) => {
      expect(violations(events, trace('webhook-delivery', events))).toEqual([]);
    });
    fc.assert(property, { numRuns: 500, seed: 7 });
  });

  it('finds a broken invariant', () => {
    const good = initial('webhook-delivery');
    const broken: State = {
      ...good,
      context: context({ failures: 9 }),
      effects: [{ type: 'hold', params: undefined }],
    };
    expect(violations([replay], [good, broken])).toEqual([
      'replay: ready is false in {"scheduled":"due"}',
      'replay: 9 failures',
      'replay: timers ',
    ]);
  });

  it('spreads a wait by a fifth either way', () => {
    const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const property = fc.property(fc.constantFrom(...retrySchedule), jitters, (delay, jitter) => {
      const wait = spread(delay, jitter);
      expect(Number.isInteger(wait) && wait >= 0.8 * delay && wait <= 1.2 * delay).toBe(true);
    });
    fc.assert(property, { seed: 3 });
  });
});
