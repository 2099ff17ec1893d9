import { describe, expect, test } from 'vitest';
import type { Sabotage } from './faulty-store.ts';
import type { RunOptions } from './run.ts';
import { run } from './run.ts';
import { described, runSeeds } from './seeds.ts';

const minutes = 60_000;
/** Of each number of shards. `npm run simulate` runs more. */
const seedCount = 24;
/** The same of two nodes. */
const clusterSeedCount = 4;

const jobs = (from: number, count: number, options: Omit<RunOptions, 'seed'>): RunOptions[] =>
  Array.from({ length: count }, (_, n) => ({ ...options, seed: from + n }));

describe('the simulation', () => {
  test.each([
    [1, 1],
    [4, 10_001],
  ])('%i shards keep every invariant', { timeout: 5 * minutes }, async (shards, from) => {
    const results = await runSeeds(jobs(from, seedCount, { shards }));
    const failed = results.filter((result) => result.run.problems.length > 0);
    expect(failed.map(described)).toEqual([]);
    expect(results).toHaveLength(seedCount);
  });

  test('two nodes keep every invariant', { timeout: 5 * minutes }, async () => {
    const results = await runSeeds([
      ...jobs(20_001, clusterSeedCount, { shards: 1, nodes: 2 }),
      ...jobs(30_001, clusterSeedCount, { shards: 4, nodes: 2 }),
    ]);
    const failed = results.filter((result) => result.run.problems.length > 0);
    expect(failed.map(described)).toEqual([]);
  });

  test.each<[number, 1 | 2]>([
    [1, 1],
    [4, 1],
    [4, 2],
  ])('a seed is one run: %i shards, nodes: %i', { timeout: minutes }, async (shards, nodes) => {
    for (const seed of [1, 2, 3]) {
      const first = await run({ seed, shards, nodes });
      const second = await run({ seed, shards, nodes });
      expect(second).toEqual(first);
    }
  });

  test('another seed is another run', async () => {
    const first = await run({ seed: 1, shards: 1 });
    const second = await run({ seed: 2, shards: 1 });
    expect(second.hash).not.toBe(first.hash);
  });

  test.each<[Sabotage, RegExp]>([
    ['forgets-answers', /dead letter|command.dead-lettered|not the machine|get quiet/],
    ['forgets-commits', /not the head|acknowledged|record|get quiet|come up/],
    ['forgets-effects', /get quiet: \{"outbox":0,.*"pending":[1-9]/],
  ])('a host that breaks its promise is caught: %s', { timeout: 5 * minutes }, async (sabotage, problem) => {
    const results = await runSeeds(jobs(1, 6, { shards: 1, sabotage }));
    expect(results.flatMap((result) => result.run.problems).join('\n')).toMatch(problem);
  });
});
