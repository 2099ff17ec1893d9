import { parseArgs } from 'node:util';
import { run } from './run.ts';
import { described, runSeeds } from './seeds.ts';

const usage =
  'npm run simulate -- [--seeds 500] [--steps 100] [--shards 1|4] [--nodes 1|2] [--from 1] | --seed N [--shards 1]';
const tracedLines = 200;
const reportEvery = 25;

/** The long form of the simulation's test; half of the seeds with 4 shards unless told otherwise. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    steps: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    shards: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const steps = Number(values.steps);
const nodes: 1 | 2 = values.nodes === '2' ? 2 : 1;

/** Runs one seed and prints the end of its trace. @returns whether it failed */
async function replay(seed: number): Promise<boolean> {
  const { problems, trace, events, hash } = await run({
    seed,
    steps,
    nodes,
    shards: Number(values.shards ?? 1),
    keepTrace: true,
  });
  console.log(trace.slice(-tracedLines).join('\n'));
  console.log(`seed ${seed}: ${events} events, ${hash.slice(0, 16)}, ${problems.length} problems`);
  for (const problem of problems) console.log(`  ${problem}`);
  return problems.length > 0;
}

/** @returns whether one failed */
async function runMany(): Promise<boolean> {
  const from = Number(values.from);
  const count = Number(values.seeds);
  const shardsOf = (n: number): number => (values.shards === undefined ? [1, 4][n % 2]! : Number(values.shards));
  const jobs = Array.from({ length: count }, (_, n) => ({ seed: from + n, shards: shardsOf(n), steps, nodes }));
  const started = performance.now();
  let done = 0;
  let failed = 0;
  await runSeeds(jobs, (result) => {
    done++;
    if (result.run.problems.length > 0) {
      failed++;
      console.log(described(result));
    }
    if (done % reportEvery > 0 && done < count) return;
    const seconds = (performance.now() - started) / 1_000;
    console.log(`${done} of ${count} seeds, ${failed} failed, ${seconds.toFixed(0)} s`);
  });
  return failed > 0;
}

if (values.help) console.log(usage);
else process.exitCode = (await (values.seed === undefined ? runMany() : replay(Number(values.seed)))) ? 1 : 0;
