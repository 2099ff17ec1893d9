import { expect, test } from 'vitest';
import { keysPerShard } from '#actors/store/table.ts';
import { type EffectRow, Lanes, type Performed } from '#src/dispatch/lanes.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const shards = 2;

/** Effects of two shards, one lane in each, and what was done of them. */
function start(performed: (effect: EffectRow) => Performed | Promise<Performed>) {
  const effects = new Map<number, EffectRow>();
  const done: number[] = [];
  const owned = new Set<number>([0, 1]);
  const clock = new ManualClock();
  const add = (shard: number, n: number): number => {
    const key = shard * keysPerShard + n;
    const rest = { id: String(key), kind: 'test', subject: 0, ready: 1, body: null, at: 0 };
    effects.set(key, { key, lane: shard * keysPerShard, ...rest });
    return key;
  };
  const lanes = new Lanes({
    outbox: {
      after: (shard, after, limit) =>
        [...effects.values()]
          .filter(({ key }) => Math.floor(key / keysPerShard) === shard && key > after)
          .slice(0, limit),
      find: (key) => effects.get(key) ?? null,
      count: () => effects.size,
    },
    ...{ shards, clock, owns: (shard) => owned.has(shard) },
    async perform(effect) {
      done.push(effect.key);
      const result = await performed(effect);
      if (result.done) effects.delete(effect.key);
      return result;
    },
    groupOf: () => '',
    failed(error) {
      throw error;
    },
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  return { lanes, add, done, owned, clock, settle };
}

test('effects of a shard that another node owns are left alone', async () => {
  const { lanes, add, done, owned, settle } = start(() => ({ done: true }));
  owned.delete(1);
  const mine = add(0, 1);
  add(1, 1);
  lanes.wake();
  await settle();
  expect(done).toEqual([mine]);
});

test('effects of a shard that is taken are done', async () => {
  const { lanes, add, done, owned, settle } = start(() => ({ done: true }));
  owned.delete(1);
  const later = add(1, 1);
  lanes.wake();
  owned.add(1);
  lanes.wake();
  await settle();
  expect(done).toEqual([later]);
});

test('what waits in a shard that was given away is forgotten', async () => {
  const until = Date.UTC(2026, 0, 1) + 1_000;
  const { lanes, add, done, owned, clock, settle } = start(() => ({ done: false, retryAt: until }));
  const waiting = add(1, 1);
  lanes.wake();
  await settle();
  owned.delete(1);
  lanes.wake();
  clock.advance(5_000);
  await settle();
  expect(done).toEqual([waiting]);
  expect(lanes.backlog).toBe(0);
});

test('what runs in a shard that was given away ends alone', async () => {
  let end: (performed: Performed) => void = () => {};
  const { lanes, add, done, owned, settle } = start(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  const running = add(1, 1);
  add(1, 2);
  lanes.wake();
  await settle();
  owned.delete(1);
  lanes.wake();
  end({ done: true });
  await settle();
  expect(done).toEqual([running]);
  await lanes.stop();
});

test('what runs is not begun again when its shard is taken again', async () => {
  const ends: ((performed: Performed) => void)[] = [];
  const { lanes, add, done, owned, settle } = start(() => new Promise((resolve) => ends.push(resolve)));
  const running = add(1, 1);
  const next = add(1, 2);
  for (const isOwner of [true, false, true]) {
    if (isOwner) owned.add(1);
    else owned.delete(1);
    lanes.wake();
    await settle();
  }
  expect(done).toEqual([running]);
  ends[0]!({ done: true });
  await settle();
  expect(done).toEqual([running, next]);
});

test('a lane that waits long looks again now and then', async () => {
  const until = Date.UTC(2026, 0, 1) + 3_600_000;
  const { lanes, add, done, clock, settle } = start(() => ({ done: false, retryAt: until }));
  const key = add(0, 1);
  lanes.wake();
  await settle();
  clock.advance(29_999);
  await settle();
  expect(done).toEqual([key]);
  clock.advance(1);
  await settle();
  expect(done).toEqual([key, key]);
});
