import { parseArgs } from 'node:util';
import { Copy } from './copy.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { expectHealthy, type Trial, tried } from './trial.ts';

const usage = `npm run mutants -- [--jobs 1] [--no-simulation] [name …]
Puts each defect into a copy of the tree and sees who notices.`;

/** Exit code 1: a mutant has survived, or does not fit the code any more. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    jobs: { type: 'string', default: '1' },
    simulation: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
});

/** @throws Error for a name that no mutant has */
function chosen(names: readonly string[]): readonly Mutant[] {
  const all = values.simulation ? mutants : mutants.map(({ simulation: _, ...mutant }) => mutant);
  if (names.length === 0) return all;
  return names.map((name) => {
    const mutant = all.find((each) => each.name === name);
    if (mutant === undefined) throw new Error(`There is no mutant ${name}.`);
    return mutant;
  });
}

/** @returns the exit code */
async function judged(wanted: readonly Mutant[], jobs: number): Promise<number> {
  const trials: Trial[] = [];
  {
    using copy = new Copy();
    // An anchor that is gone is found before anything is run.
    for (const mutant of wanted) copy.apply(mutant)();
    await expectHealthy(copy, wanted, say);
  }
  const queue = [...wanted];
  const work = async (): Promise<void> => {
    using copy = new Copy();
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const trial = await tried(copy, mutant);
      trials.push(trial);
      say(`${trials.length} of ${wanted.length}: ${mutant.name} ${said(trial)}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  console.log(table(wanted.map((mutant) => trials.find((trial) => trial.mutant === mutant)!)));
  const alive = trials.filter(({ survived }) => survived.length > 0);
  for (const { mutant, survived } of alive) console.error(`${mutant.name} survived: ${survived.join('; ')}.`);
  if (alive.length > 0) console.error(`${alive.length} of ${wanted.length} mutants survived: tests are missing.`);
  return alive.length > 0 ? 1 : 0;
}

function said({ survived, ms, simulation }: Trial): string {
  if (survived.length > 0) return `SURVIVED: ${survived.join('; ')}`;
  return `caught in ${seconds(ms)} s${simulation && `; simulation: ${simulation}`}`;
}

function table(trials: readonly Trial[]): string {
  const lines = trials.map(({ mutant, caught, ms, simulation }) => {
    const { name, file, breaks, caughtBy } = mutant;
    const noticed = caught ? `${caughtBy.file}: ${caughtBy.title}` : 'NOBODY';
    return `| ${[name, file, breaks, noticed, seconds(ms), simulation].join(' | ')} |`;
  });
  const head = ['| mutant | file | what it breaks | caught by | s | simulation |', '|---|---|---|---|---|---|'];
  return ['', ...head, ...lines, ''].join('\n');
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

function say(line: string): void {
  console.error(line);
}

if (values.help) console.log(usage);
else {
  try {
    process.exitCode = await judged(chosen(positionals), Number(values.jobs));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
