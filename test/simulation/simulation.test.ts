import { describe, expect, test } from 'vitest';
import type { Sabotage } from './faulty-store.ts';
import { run } from './run.ts';
import { failuresOf, replay, replayed, seedCount } from './seeds.ts';

const minutes = 60_000;

describe.runIf(replayed !== null)('a seed that is replayed', () => {
  test('keeps every invariant', { timeout: 5 * minutes }, async () => {
    expect(await replay(replayed!.seed, replayed!.shards)).toEqual([]);
  });
});

describe.skipIf(replayed !== null)('the simulation', () => {
  test.each([
    [1, 1],
    [4, 10_001],
  ])('%i shards keep every invariant', { timeout: 20 * minutes }, async (shards, from) => {
    expect(await failuresOf(from, seedCount, shards)).toEqual([]);
  });

  test.each([1, 4])('the same seed is the same run with %i shards', async (shards) => {
    for (const seed of [1, 2, 3]) {
      const first = await run({ seed, shards });
      const second = await run({ seed, shards });
      expect(second).toEqual(first);
    }
  });

  test('another seed is another run', async () => {
    const first = await run({ seed: 1, shards: 1 });
    const second = await run({ seed: 2, shards: 1 });
    expect(second.hash).not.toBe(first.hash);
  });

  test.each<[Sabotage, RegExp]>([
    ['no-inbox', /dead letter|command.dead-lettered|not the machine|get quiet/],
    ['forgets-commits', /not the head|acknowledged|record|get quiet/],
    ['forgets-effects', /neither delivered nor failed/],
  ])('a host that breaks its promise is caught: %s', { timeout: 5 * minutes }, async (sabotage, problem) => {
    const problems: string[] = [];
    for (let seed = 1; seed <= 10 && problems.length === 0; seed++) {
      problems.push(...(await run({ seed, shards: 1, sabotage })).problems);
    }
    expect(problems.join('\n')).toMatch(problem);
  });
});
