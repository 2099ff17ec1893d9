import { run } from './run.ts';

/** Seeds of one test, for each number of shards. More with PARLEY_SEEDS. */
export const seedCount = Number(process.env['PARLEY_SEEDS'] ?? 250);

/** The one seed and number of shards to replay, null to run them all. */
export const replayed =
  process.env['PARLEY_SEED'] === undefined
    ? null
    : { seed: Number(process.env['PARLEY_SEED']), shards: Number(process.env['PARLEY_SHARDS'] ?? 1) };

const reportEvery = 100;
const tracedLines = 200;

/** Runs `count` seeds from `from`. @returns what failed, with the way to see it again */
export async function failuresOf(from: number, count: number, shards: number): Promise<string[]> {
  const failures: string[] = [];
  const started = performance.now();
  for (let seed = from; seed < from + count; seed++) {
    const { problems } = await run({ seed, shards });
    if (problems.length > 0) failures.push(described(seed, shards, problems));
    const done = seed - from + 1;
    if (done % reportEvery > 0 && done < count) continue;
    const each = ((performance.now() - started) / done).toFixed(0);
    console.info(`simulation: ${done} seeds with ${shards} shards, ${failures.length} failed, ${each} ms each`);
  }
  return failures;
}

/** Runs one seed and prints the end of its trace when it fails. */
export async function replay(seed: number, shards: number): Promise<string[]> {
  const { problems, trace } = await run({ seed, shards, keepTrace: true });
  if (problems.length === 0) return [];
  console.info(trace.slice(-tracedLines).join('\n'));
  return [described(seed, shards, problems)];
}

const described = (seed: number, shards: number, problems: string[]): string =>
  `seed ${seed} (shards ${shards}) failed: ${problems.join('; ')}; ` +
  `replay with PARLEY_SEED=${seed} PARLEY_SHARDS=${shards} npm test -- test/simulation`;
