import { expect, test } from 'vitest';
import { type Heap, ownHeap, trimWhenIdle } from '#src/runtime/idle-memory.ts';
import { silent } from '../_support/actor-system.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const mb = 1024 * 1024;

function scene() {
  const clock = new ManualClock();
  const heap = { share: 0, bytes: 50 * mb, collections: 0 };
  const port: Heap = {
    utilization: () => heap.share,
    size: () => heap.bytes,
    collect() {
      heap.collections++;
      heap.bytes = 20 * mb;
    },
  };
  const cancel = trimWhenIdle(port, clock, silent);
  return { heap, clock, cancel };
}

test('a heap is trimmed when its thread was idle for 4 s', () => {
  const { heap, clock } = scene();
  clock.advance(3_000);
  expect(heap.collections).toBe(0);
  clock.advance(1_000);
  expect(heap.collections).toBe(1);
});

test('a second of work begins the wait anew', () => {
  const { heap, clock } = scene();
  clock.advance(3_000);
  heap.share = 0.1;
  clock.advance(1_000);
  heap.share = 0.01;
  clock.advance(3_000);
  expect(heap.collections).toBe(0);
  clock.advance(1_000);
  expect(heap.collections).toBe(1);
});

test('a trimmed heap is left alone until it has grown', () => {
  const { heap, clock } = scene();
  clock.advance(60_000);
  heap.bytes += 8 * mb - 1;
  clock.advance(60_000);
  expect(heap.collections).toBe(1);
  heap.bytes += 1;
  clock.advance(1_000);
  expect(heap.collections).toBe(2);
});

test('nothing is trimmed after the end', () => {
  const { heap, clock, cancel } = scene();
  clock.advance(2_000);
  cancel();
  clock.advance(60_000);
  expect(heap.collections).toBe(0);
});

test("the thread's own heap gets smaller", () => {
  const heap = ownHeap();
  // In a function of its own: nothing here holds on to it afterwards.
  const wasted = (): number => {
    const waste = Array.from({ length: 1_500_000 }, (_, n) => ({ n }));
    expect(waste).toHaveLength(1_500_000);
    return heap.size();
  };
  const before = wasted();
  heap.collect();
  expect(before - heap.size()).toBeGreaterThan(10 * mb);
  expect(heap.utilization()).toBeLessThanOrEqual(1);
});
