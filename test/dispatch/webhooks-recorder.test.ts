import { expect, test } from 'vitest';
import { deliveryId } from '#actors/ids.ts';
import { summaryOf } from '#src/dispatch/webhooks/record-summary.ts';
import { type RecordBody, Recorder, type Result } from '#src/dispatch/webhooks/recorder.ts';
import type { WindowEntry } from '#src/dispatch/webhooks/window.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const entryOf = (feedKey: number, lane = 1): WindowEntry => ({
  ...{ feedKey, lane, position: [feedKey], readAt: 0, status: 'open' },
});

function resultOf(entry: WindowEntry, blocks: boolean): Result {
  const attempt = { at: 0, durationMs: 7, status: blocks ? 500 : 200, reason: null, answer: 'said' };
  const outcome = blocks ? ({ kind: 'failed', jitter: 0 } as const) : ({ kind: 'delivered' } as const);
  return { attempt, outcome, ref: entry, entry, blocks };
}

/** A recorder whose records are kept, and stored when the test says so. */
function recording() {
  const clock = new ManualClock();
  const sent: RecordBody[] = [];
  const stored: PromiseWithResolvers<{ state: 'delivering' }>[] = [];
  const recorder = new Recorder({
    clock,
    progressWith: (entries) => ({ generation: 1, cursor: [entries.length], ahead: [], caughtUp: false }),
    send(body) {
      sent.push(body);
      stored.push(Promise.withResolvers());
      return stored.at(-1)!.promise;
    },
  });
  const sizes = (): number[] => sent.map(({ results }) => results.length);
  return { clock, sent, stored, recorder, sizes };
}

test('results that block nothing wait 20 ms for company', async () => {
  const { clock, recorder, sizes } = recording();
  void recorder.record();
  recorder.add(resultOf(entryOf(1), false));
  clock.advance(19);
  recorder.add(resultOf(entryOf(2, 2), false));
  await turn();
  expect(sizes()).toEqual([]);
  clock.advance(1);
  await turn();
  expect(sizes()).toEqual([2]);
});

test.each([
  ['one that blocks its lane', 1, true],
  ['sixty-four', 64, false],
])('%s is stored without a wait', async (_, count, blocks) => {
  const { recorder, sizes } = recording();
  void recorder.record();
  for (let n = 0; n < count; n++) recorder.add(resultOf(entryOf(n, n), blocks));
  await turn();
  await turn();
  expect(sizes()).toEqual([count]);
});

test('a record holds 128 results, the rest is in the next', async () => {
  const { recorder, stored, sizes } = recording();
  const first = recorder.record();
  for (let n = 0; n < 200; n++) recorder.add(resultOf(entryOf(n, n), false));
  recorder.flush();
  await turn();
  expect([sizes(), recorder.unrecorded, recorder.idle]).toEqual([[128], 200, false]);
  stored[0]!.resolve({ state: 'delivering' });
  expect((await first).results).toHaveLength(128);
  expect([recorder.unrecorded, recorder.idle]).toEqual([72, false]);
  const second = recorder.record();
  await turn();
  await turn();
  stored[1]!.resolve({ state: 'delivering' });
  expect((await second).results).toHaveLength(72);
});

test('it is idle only while the next record is awaited', async () => {
  const { recorder, stored } = recording();
  expect(recorder.idle).toBe(false);
  const record = recorder.record();
  expect(recorder.idle).toBe(true);
  recorder.recordCursor();
  await turn();
  stored[0]!.resolve({ state: 'delivering' });
  expect(await record).toEqual({ results: [], deferred: [], state: 'delivering' });
  expect(recorder.idle).toBe(false);
  void recorder.record();
  expect(recorder.idle).toBe(true);
});

test('a result takes the place of the deferral of its event', async () => {
  const { recorder, sent } = recording();
  void recorder.record();
  const [slow, other] = [entryOf(1), entryOf(2)];
  recorder.defer(slow);
  recorder.defer(other);
  expect(recorder.add(resultOf(slow, true))).toBe(true);
  expect(recorder.add(resultOf(entryOf(3), true))).toBe(false);
  await turn();
  await turn();
  expect(sent[0]!.results.map(({ feedKey }) => feedKey)).toEqual([1, 3]);
  expect(sent[0]!.deferred).toEqual([{ feedKey: 2, lane: 1 }]);
  expect([slow.status, other.status]).toEqual(['decided', 'decided']);
});

test('after a record that fails nothing of it is left', async () => {
  const { clock, recorder, stored, sizes } = recording();
  const record = recorder.record();
  recorder.add(resultOf(entryOf(1), true));
  await turn();
  await turn();
  recorder.add(resultOf(entryOf(2), true));
  stored[0]!.reject(new Error('no'));
  await expect(record).rejects.toThrow('no');
  recorder.forget();
  void recorder.record();
  clock.advance(1_000);
  await turn();
  expect([sizes(), recorder.unrecorded, recorder.idle]).toEqual([[1], 0, true]);
});

test('a log line counts outcomes and names what did not arrive', () => {
  const subscription = '01a1febe-9290-7f61-bed1-e7fba66d83e9';
  const expired: Result = { ...resultOf(entryOf(9), true), attempt: null, outcome: { kind: 'expired' } };
  const results = [resultOf(entryOf(1), false), resultOf(entryOf(2), true), resultOf(entryOf(3), false), expired];
  const line = summaryOf(subscription, { results, deferred: [entryOf(4)], state: 'delivering' });
  const ids = [2, 9].map((feedKey) => deliveryId(subscription, feedKey));
  expect(line).toEqual({
    ...{ subscription, delivered: 2, failed: 1, expired: 1, deferred: 1, state: 'delivering', slowestMs: 7 },
    undelivered: [
      { delivery: ids[0], outcome: 'failed', status: 500, reason: null, ms: 7 },
      { delivery: ids[1], outcome: 'expired', status: null, reason: null, ms: 0 },
    ],
  });
  expect(JSON.stringify(line)).not.toContain('said');
});
