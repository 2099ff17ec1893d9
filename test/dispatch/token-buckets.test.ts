import { expect, test } from 'vitest';
import { TokenBuckets } from '#src/runtime/token-buckets.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const rate = { perSecond: 2, burst: 3 };

test('a burst is taken at once, then one token comes after another', () => {
  const clock = new ManualClock();
  const buckets = new TokenBuckets(clock);
  const take = () => buckets.take([['a', rate]]);
  expect([take(), take(), take(), take()]).toEqual([null, null, null, 500]);
  clock.advance(500);
  expect([take(), take()]).toEqual([null, 500]);
  clock.advance(60_000);
  expect([take(), take(), take(), take()]).toEqual([null, null, null, 500]);
});

test('names do not share a bucket', () => {
  const buckets = new TokenBuckets(new ManualClock());
  const one = { perSecond: 1, burst: 1 };
  expect([buckets.take([['a', one]]), buckets.take([['b', one]]), buckets.take([['a', one]])]).toEqual([
    null,
    null,
    1_000,
  ]);
});

test('where one bucket is empty none of the others is touched', () => {
  const buckets = new TokenBuckets(new ManualClock());
  const [empty, other] = [
    { perSecond: 0.1, burst: 1 },
    { perSecond: 1, burst: 1 },
  ];
  buckets.take([['empty', empty]]);
  expect(
    buckets.take([
      ['empty', empty],
      ['other', other],
    ]),
  ).toBe(10_000);
  expect(buckets.take([['other', other]])).toBeNull();
});

test('a clock that is set changes nothing', () => {
  const clock = new ManualClock();
  const buckets = new TokenBuckets(clock);
  const one = { perSecond: 1, burst: 1 };
  buckets.take([['a', one]]);
  clock.set(3_600_000);
  expect(buckets.take([['a', one]])).toBe(1_000);
});
