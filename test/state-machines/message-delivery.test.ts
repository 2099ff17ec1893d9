import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fewestAttempts,
  maximumRetryDelay,
  type MessageDeliveryContext,
  mostUnknownOutcomes,
  retryDelayAfter,
  unknownOutcomeError,
} from '#machines/message-delivery.ts';
import type { EventOf } from '#machines/registry.ts';
import { initial, step, type StepResult } from '#machines/step.ts';
import { paths, retryTimer, sampleEvents, trace, weightedEvents } from './samples.ts';

type State = StepResult<'message-delivery'>;
type Event = EventOf<'message-delivery'>;

const queued = { pending: 'queued' };
const calling = { pending: 'calling' };
const backingOff = { pending: 'backingOff' };

/** When the first call was made, and how long after it a send is given up. */
const start = 1_000;
const giveUpAfter = 60_000;
const end = start + giveUpAfter;

const context = (changes: Partial<MessageDeliveryContext> = {}): MessageDeliveryContext => ({
  attempts: 1,
  retryDelay: 0,
  error: null,
  unknownOutcomes: 0,
  triedSince: start,
  ...changes,
});

const unreachable = (at: number): Event => ({
  ...{ type: 'attempt.unreachable', error: 'Status 503.', jitter: 0.5 },
  ...{ at, giveUpAfter },
});
const throttled = (at: number): Event => ({
  ...{ type: 'attempt.throttled', error: 'Slow down.', retryAfter: 30_000 },
  ...{ at, giveUpAfter },
});
const started = (at: number): Event => ({ type: 'attempt.started', at });
const rejected: Event = { type: 'attempt.rejected', error: 'No such recipient.' };
const withdrawn: Event = { type: 'withdraw', error: 'Erased.' };
const sourceFailed: Event = { type: 'source.failed', error: 'Undeliverable.' };
const asked = 'Slow down. (the source asked to wait)';
const [unreachableToo, throttledToo] = ['Status 503.', 'Slow down.'].map((said) => `${said} (given up after 60 s)`);

type Row = [
  state: unknown,
  before: Partial<MessageDeliveryContext>,
  event: Event,
  next: unknown,
  effects: string[],
  after: Partial<MessageDeliveryContext>,
];

const table: Row[] = [
  [queued, { attempts: 0, triedSince: null }, started(7), calling, [], { attempts: 1, triedSince: 7 }],
  [queued, { attempts: 3 }, started(7_000), calling, [], { attempts: 4 }],
  [queued, {}, rejected, 'failed', ['dequeue'], { error: 'No such recipient.' }],
  [queued, {}, { type: 'attempt.succeeded' }, 'delivered', ['dequeue'], {}],
  [calling, {}, { type: 'attempt.succeeded' }, 'delivered', ['dequeue'], {}],
  [queued, {}, { type: 'recipient.awaited' }, 'uncollected', ['dequeue'], {}],
  [queued, {}, { type: 'collected' }, 'delivered', ['dequeue'], {}],
  [calling, {}, { type: 'collected' }, 'delivered', ['dequeue'], {}],
  [backingOff, {}, { type: 'collected' }, 'delivered', ['dequeue'], {}],
  ['uncollected', {}, { type: 'collected' }, 'delivered', [], {}],
  [backingOff, {}, { type: 'attempt.succeeded' }, 'delivered', ['dequeue'], {}],
  [calling, {}, rejected, 'failed', ['dequeue'], { error: 'No such recipient.' }],
  [calling, { error: asked }, unreachable(2_000), backingOff, ['hold'], { retryDelay: 1_000 }],
  [calling, { attempts: 9 }, unreachable(end - 1), backingOff, ['hold'], { attempts: 9, retryDelay: 30_000 }],
  [calling, { attempts: 4 }, unreachable(end), backingOff, ['hold'], { attempts: 4, retryDelay: 8_000 }],
  [calling, { attempts: 5 }, unreachable(end), 'failed', ['dequeue'], { attempts: 5, error: unreachableToo! }],
  [calling, { attempts: 3 }, throttled(2_000), backingOff, ['hold'], { attempts: 2, retryDelay: 30_000, error: asked }],
  [calling, {}, throttled(end - 10), backingOff, ['hold'], { attempts: 0, retryDelay: 10, error: asked }],
  [calling, {}, throttled(end), 'failed', ['dequeue'], { error: throttledToo! }],
  [
    calling,
    { attempts: 9 },
    { type: 'attempt.outcome-unknown' },
    queued,
    ['wake'],
    { attempts: 9, unknownOutcomes: 1 },
  ],
  [
    calling,
    { unknownOutcomes: mostUnknownOutcomes },
    { type: 'attempt.outcome-unknown' },
    'failed',
    ['dequeue'],
    { unknownOutcomes: mostUnknownOutcomes + 1, error: unknownOutcomeError },
  ],
  [backingOff, { retryDelay: 700 }, { type: retryTimer }, queued, ['wake'], { retryDelay: 700 }],
  [backingOff, {}, rejected, 'failed', ['dequeue'], { error: 'No such recipient.' }],
  [queued, {}, { type: 'conversation.awaited' }, 'awaiting', ['dequeue'], {}],
  ['failed', { error: 'No.' }, { type: 'conversation.awaited' }, 'awaiting', [], { attempts: 0, triedSince: null }],
  ['awaiting', {}, { type: 'conversation.appeared' }, queued, ['enqueue'], {}],
  ['awaiting', {}, { type: 'conversation.missing', error: 'Not there.' }, 'failed', [], { error: 'Not there.' }],
  [queued, {}, withdrawn, 'failed', ['dequeue'], { error: 'Erased.' }],
  [calling, {}, withdrawn, 'failed', ['dequeue'], { error: 'Erased.' }],
  [backingOff, {}, withdrawn, 'failed', ['dequeue'], { error: 'Erased.' }],
  ['awaiting', {}, withdrawn, 'failed', [], { error: 'Erased.' }],
  ['uncollected', {}, withdrawn, 'failed', [], { error: 'Erased.' }],
  ['delivered', {}, sourceFailed, 'failed', [], { error: 'Undeliverable.' }],
  ['failed', { error: 'No.' }, sourceFailed, 'failed', [], { error: 'Undeliverable.' }],
  [
    'failed',
    { attempts: 5, error: 'No.', retryDelay: 9, unknownOutcomes: 2 },
    { type: 'resend' },
    queued,
    ['enqueue'],
    { attempts: 0, triedSince: null },
  ],
];

/** How many calls of a way found nobody, or never had an answer, since the send was last put into its lane. */
const inVain = new Set(['attempt.unreachable', 'attempt.outcome-unknown']);

/** What ends a send at once, however often its source was called. */
const refusals = new Set([
  'attempt.rejected',
  'attempt.throttled',
  'source.failed',
  'conversation.missing',
  'withdraw',
]);

/** What is wrong with a way of states; `events[n]` leads from `states[n]` to `states[n + 1]`. */
function violations(events: Event[], states: State[]): string[] {
  const found: string[] = [];
  let inLane = 0;
  let vain = 0;
  states.forEach((state, index) => {
    const before = states[index - 1];
    const event = events[index - 1]?.type ?? 'start';
    for (const { type } of state.effects) {
      if (type === 'enqueue') inLane += 1;
      if (type === 'dequeue') inLane -= 1;
    }
    if (before?.value === 'failed' && state.value !== 'failed') vain = 0;
    if (inVain.has(event) && state.changed) vain += 1;
    const pending = typeof state.value === 'object';
    if (inLane !== (pending ? 1 : 0)) found.push(`${event}: ${inLane} times in the lane`);
    if (before?.value === 'delivered' && state.changed && event !== 'source.failed')
      found.push(`${event}: left delivered`);
    if (state.value === 'failed' && before?.value !== 'failed') {
      const isRefused = refusals.has(event);
      if (!isRefused && vain < fewestAttempts) found.push(`${event}: failed after ${vain} calls`);
      if (!state.context.error) found.push(`${event}: failed without an error`);
    }
    const { attempts, retryDelay } = state.context;
    if (attempts < 0 || attempts > vain + 1) found.push(`${event}: ${attempts} attempts`);
    const waits = state.timers.set.map(({ name, delay }) => `${name} ${delay}`);
    const entered = state.changed && JSON.stringify(state.value) === JSON.stringify(backingOff);
    if (waits.join() !== (entered ? `${retryTimer} ${retryDelay}` : '')) found.push(`${event}: timers ${waits}`);
  });
  return found;
}

describe('message delivery', () => {
  it('starts at the end of its lane', () => {
    const { value, effects, context: first } = initial('message-delivery');
    expect([value, effects]).toEqual([queued, [{ type: 'enqueue', params: undefined }]]);
    expect(first).toEqual(context({ attempts: 0, triedSince: null }));
  });

  it.each(table)('goes from %j %j with %j to %j', (state, before, event, next, effects, after) => {
    const result = step('message-delivery', { value: state, context: context(before) }, event);
    expect(result.value).toEqual(next);
    expect(result.effects.map(({ type }) => type)).toEqual(effects);
    expect(result.context).toEqual(context(after));
    expect(result.changed).toBe(true);
  });

  it('stays for every event that the table does not name', () => {
    for (const value of [queued, calling, backingOff, 'awaiting', 'delivered', 'failed']) {
      const named = table.filter(([state]) => state === value).map(([, , event]) => event.type);
      for (const event of sampleEvents('message-delivery').filter(({ type }) => !named.includes(type))) {
        const result = step('message-delivery', { value, context: context() }, event);
        expect(result).toMatchObject({ value, context: context(), changed: false, effects: [] });
        expect(result.timers).toEqual({ set: [], cancel: [] });
      }
    }
  });

  it('cancels the retry when it leaves the wait', () => {
    const waiting = { value: backingOff, context: context() };
    expect(step('message-delivery', waiting, rejected).timers).toEqual({ set: [], cancel: [retryTimer] });
  });

  it('keeps its invariants on every path', () => {
    const ways = paths('message-delivery', ({ value, context: { attempts, error, unknownOutcomes } }) => [
      ...[value, Math.min(attempts, fewestAttempts), Math.min(unknownOutcomes, fewestAttempts), error],
    ]);
    expect(ways.length).toBeGreaterThan(200);
    for (const events of ways) expect(violations(events, trace('message-delivery', events))).toEqual([]);
  });

  it('keeps its invariants on random walks', () => {
    const walk = fc.array(fc.constantFrom(...weightedEvents('message-delivery')), { maxLength: 50 });
    const property = fc.property(walk, (events) => {
      expect(violations(events, trace('message-delivery', events))).toEqual([]);
    });
    fc.assert(property, { numRuns: 500, seed: 7 });
  });

  it('finds a broken invariant', () => {
    const good = initial('message-delivery');
    const broken: State = {
      ...good,
      context: context({ attempts: 6 }),
      effects: [{ type: 'enqueue', params: undefined }],
    };
    expect(violations([{ type: 'resend' }], [good, broken])).toEqual([
      'resend: 2 times in the lane',
      'resend: 6 attempts',
    ]);
  });

  it('bounds the wait between two tries', () => {
    const waits = fc.property(
      fc.nat(40),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (n, jitter) => {
        const delay = retryDelayAfter(n, jitter);
        expect(Number.isInteger(delay) && delay >= 0 && delay <= Math.min(maximumRetryDelay, 1_000 * 2 ** n)).toBe(
          true,
        );
      },
    );
    fc.assert(waits, { seed: 3 });
  });
});
