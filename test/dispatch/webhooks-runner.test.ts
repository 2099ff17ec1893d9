import { expect, test } from 'vitest';
import { RunnerBench, rest } from './webhooks-runner-support.ts';

test('each lane has one attempt under way', async () => {
  const bench = new RunnerBench({}, [1, 1, 2, 3, 3]);
  expect(bench.called).toEqual([1, 3, 4]);
  await bench.calls[0]!.answer(200);
  expect(bench.called).toEqual([1, 3, 4, 2]);
});

test('a failure blocks its lane until its record is stored', async () => {
  const bench = new RunnerBench({}, [1, 1, 2]);
  bench.heads = [{ key: 9, feedKey: 1, lane: 1, ready: false }];
  await bench.calls[0]!.answer(500);
  expect(bench.records).toHaveLength(1);
  expect(bench.records[0]).toMatchObject({ results: [{ feedKey: 1 }], deferred: [{ feedKey: 2 }], cursor: [2] });
  expect(bench.called).toEqual([1, 3]);
  bench.heads = [{ key: 9, feedKey: 1, lane: 1, ready: true }];
  await bench.store({});
  expect(bench.called).toEqual([1, 3, 1]);
});

test('what comes for a lane that waits is put behind, unsent', async () => {
  const bench = new RunnerBench({ cursor: [1] }, [1]);
  bench.heads = [{ key: 9, feedKey: 1, lane: 1, ready: false }];
  await bench.store({});
  bench.feed.push(1, 2);
  await bench.store({});
  await bench.pass(50);
  expect(bench.called).toEqual([3]);
  expect(bench.records.flatMap(({ deferred }) => deferred.map(({ feedKey }) => feedKey))).toEqual([2]);
});

test('a new URL, key or header is for the next attempt', async () => {
  const bench = new RunnerBench({}, [1, 1]);
  await bench.store({ url: 'http://b/' });
  await bench.calls[0]!.answer(200);
  expect(bench.calls.map(({ url }) => url)).toEqual(['http://a/', 'http://b/']);
});

test('Retry-After pauses all lanes, but no other receiver', async () => {
  const bench = new RunnerBench({}, [1, 2, 2]);
  await bench.calls[0]!.answer(429, { 'retry-after': '60' });
  await bench.calls[1]!.answer(200);
  await bench.pass(59_000);
  expect(bench.called).toEqual([1, 2]);
  await bench.store({ url: 'http://b/' });
  expect(bench.called).toEqual([1, 2, 3]);
});

test('a pause ends by itself', async () => {
  const bench = new RunnerBench({}, [1, 2, 2]);
  await bench.calls[0]!.answer(503, { 'retry-after': '60' });
  await bench.calls[1]!.answer(200);
  await bench.pass(60_000);
  expect(bench.called).toEqual([1, 2, 3]);
});

test('nothing begins after a 410, whatever waits', async () => {
  const bench = new RunnerBench({}, [1, 1, 2, 2]);
  bench.answers.push('Unsubscribed');
  await bench.calls[0]!.answer(410);
  await bench.calls[1]!.answer(200);
  await bench.pass(2_000);
  expect(bench.called).toEqual([1, 3]);
  expect(bench.records.flatMap(({ deferred }) => deferred)).toEqual([]);
});

test('a replay waits for attempts, recorded as they began', async () => {
  const bench = new RunnerBench({}, [1, 2]);
  await bench.calls[0]!.answer(200);
  await bench.store({ generation: 2 });
  expect(bench.called).toEqual([1, 2]);
  await bench.calls[1]!.answer(200);
  expect(bench.records.map(({ generation }) => generation)).toEqual([1, 1]);
  expect(bench.called).toEqual([1, 2, 1, 2]);
});

test('ten failures in a row wait for the judgement of the store', async () => {
  const bench = new RunnerBench(
    {},
    Array.from({ length: 80 }, (_, n) => n),
  );
  bench.answers.push('backingOff');
  expect(bench.calls).toHaveLength(64);
  await Promise.all(bench.calls.slice(0, 20).map((call) => call.answer(500)));
  expect(bench.calls.length).toBeLessThan(64 + 10);
  await Promise.all(bench.calls.slice(20).map((call) => call.answer(500)));
  await bench.pass(10_000);
  expect(bench.calls.length).toBeLessThan(64 + 10);
});

test('a record that is refused begins all again a second later', async () => {
  const bench = new RunnerBench({}, [1, 1]);
  bench.answers.push(new Error('not allowed'));
  await bench.calls[0]!.answer(200);
  await bench.calls[1]!.answer(200);
  await bench.pass(20);
  expect(bench.errors).toEqual(['webhook.record_failed Error: not allowed']);
  await bench.pass(900);
  expect(bench.called).toEqual([1, 2]);
  await bench.pass(100);
  expect(bench.called).toEqual([1, 2, 1]);
});

test('that second passes however the clock is set', async () => {
  const bench = new RunnerBench({}, [1]);
  bench.answers.push(new Error('not allowed'));
  await bench.calls[0]!.answer(500);
  bench.clock.set(-3_600_000);
  await bench.pass(1_000);
  expect(bench.calls).toHaveLength(2);
});

test('a receiver is left alone as long, however the clock is set', async () => {
  const bench = new RunnerBench({}, [1, 2]);
  await bench.calls[0]!.answer(429, { 'retry-after': '60' });
  await bench.calls[1]!.answer(200);
  bench.clock.set(-3_600_000);
  bench.feed.push(3);
  bench.runner.feedGrew();
  await bench.pass(59_000);
  expect(bench.calls).toHaveLength(2);
  await bench.pass(1_000);
  expect(bench.called).toContain(3);
});

test('a change during that second does not shorten it', async () => {
  const bench = new RunnerBench({}, [1]);
  bench.answers.push(new Error('not allowed'));
  await bench.calls[0]!.answer(500);
  await bench.store({ generation: 2 });
  await bench.pass(900);
  expect(bench.calls).toHaveLength(1);
  await bench.pass(100);
  expect(bench.calls).toHaveLength(2);
});

test('a quiet second moves the cursor, and says caught up once', async () => {
  const bench = new RunnerBench({}, [1]);
  await bench.calls[0]!.answer(200);
  await bench.pass(20);
  expect(bench.records.map(({ caughtUp }) => caughtUp)).toEqual([false]);
  bench.answers.push('idle');
  await bench.pass(1_000);
  await bench.pass(1_000);
  bench.runner.feedGrew();
  await bench.pass(5_000);
  expect(bench.records.map(({ caughtUp }) => caughtUp)).toEqual([false, true]);
});

test('a probe is one attempt, each time of another delivery', async () => {
  const bench = new RunnerBench({ state: 'backingOff' }, [1, 2]);
  bench.heads = [1, 2, 3].map((lane) => ({ key: lane, feedKey: lane + 10, lane, ready: false }));
  expect(bench.calls).toEqual([]);
  for (let n = 1; n <= 4; n++) {
    await bench.store({ state: 'delivering', probing: true });
    await bench.pass(1_000);
    expect(bench.calls).toHaveLength(n);
    bench.answers.push('backingOff');
    await bench.calls.at(-1)!.answer(500);
  }
  expect(bench.called).toEqual([11, 12, 13, 11]);
  expect(bench.records.every(({ deferred }) => deferred.length === 0)).toBe(true);
});

test('with nothing to probe with, a record says so', async () => {
  const bench = new RunnerBench({ probing: true });
  bench.answers.push('idle');
  await rest();
  expect(bench.records).toMatchObject([{ results: [], caughtUp: true }]);
  expect(bench.calls).toEqual([]);
});

test('it stops when its attempts are recorded, or after patience', async () => {
  const bench = new RunnerBench({}, [1, 2]);
  let stopped = 0;
  void bench.runner.stop(5_000).then(() => stopped++);
  await bench.calls[0]!.answer(200);
  expect(stopped).toBe(0);
  await bench.calls[1]!.answer(200);
  expect([stopped, bench.records.flatMap(({ results }) => results).length]).toEqual([1, 2]);
  const patient = new RunnerBench({}, [1]);
  void patient.runner.stop(5_000).then(() => stopped++);
  await patient.pass(4_999);
  expect(stopped).toBe(1);
  await patient.pass(1);
  expect(stopped).toBe(2);
});

test('events that were forgotten unsent have a line in the log', async () => {
  const bench = new RunnerBench();
  await bench.store({ missed: 7, generation: 2 });
  await bench.store({ url: 'http://b/' });
  await bench.store({ missed: 9 });
  expect(bench.lines.map(({ event, events }) => [event, events])).toEqual([
    ['webhook.events_missed', 7],
    ['webhook.events_missed', 2],
  ]);
});
