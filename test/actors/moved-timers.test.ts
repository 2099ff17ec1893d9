import { expect, test } from 'vitest';
import { MovedTimers } from '#actors/runtime/moved-timers.ts';
import { keysPerShard } from '#actors/store/table.ts';
import type { TimerRow } from '#actors/store/tables.ts';

const timer = (key: number, due: number): TimerRow => ({
  key,
  due,
  kind: 'conversation',
  actor: 1,
  subject: 1,
  name: 'x',
});

test('timers of a shard that was given away are not moved any more', () => {
  const rows = [timer(5, 60_000), timer(keysPerShard + 5, 70_000)];
  const owned = new Map([
    [0, 10],
    [1, 10],
  ]);
  let now = 50_000;
  const moved = new MovedTimers({
    store: { timersBetween: (from, to) => rows.filter(({ key }) => key >= from && key < to) },
    clock: { now: () => now, elapsed: () => 50_000 },
    nextKeys: () => new Map(owned),
  });
  moved.look();
  now = 10_000;
  moved.look();
  expect(moved.due(40_000).map(({ key, due }) => [key, due])).toEqual([
    [5, 20_000],
    [keysPerShard + 5, 30_000],
  ]);
  owned.delete(0);
  moved.look();
  expect(moved.due(40_000).map(({ key }) => key)).toEqual([keysPerShard + 5]);
  expect(moved.next).toBe(30_000);
});
