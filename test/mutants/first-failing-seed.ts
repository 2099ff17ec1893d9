import { runSeeds } from '../simulation/seeds.ts';

/** A seed whose run has problems. */
export interface CaughtBySeed {
  seed: number;
  shards: number;
  problem: string;
}

/** Few enough for two minutes, many enough for what a mutant breaks. */
const seedCount = 24;
/** Few: one that hangs has its verdict after a minute, and nobody waits for another behind it. */
const atOnce = 2;

const nodes = process.argv[2] === '2' ? 2 : 1;

/** Runs seeds until one fails. Prints which, as JSON; null when none does. */
async function firstFailing(): Promise<CaughtBySeed | null> {
  for (let from = 1; from <= seedCount; from += atOnce) {
    const jobs = Array.from(
      { length: atOnce },
      (_, n) => ({ seed: from + n, shards: n % 2 === 0 ? 1 : 4, nodes }) as const,
    );
    const results = await runSeeds(jobs);
    const failed = results.find(({ run }) => run.problems.length > 0);
    if (failed) {
      const { seed, shards } = failed.options;
      return { seed, shards, problem: failed.run.problems[0]! };
    }
  }
  return null;
}

console.log(JSON.stringify(await firstFailing()));
