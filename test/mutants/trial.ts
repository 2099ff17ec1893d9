import type { Copy } from './copy.ts';
import type { Mutant } from './mutant.ts';
import { runSimulation, runTests } from './watch.ts';

/** What became of a mutant. */
export interface Trial {
  mutant: Mutant;
  /** Whether its test notices. */
  caught: boolean;
  /** What the test takes until then, in ms, vitest's own start included. */
  ms: number;
  /** What the simulation said, in a few words; empty where it is not asked. */
  simulation: string;
  /** Why it counts as alive. Empty: it is caught. */
  survived: string[];
}

/** Puts one mutant in, sees who notices, and takes it out again. @throws Error when it does not fit the code */
export async function tried(copy: Copy, mutant: Mutant): Promise<Trial> {
  const putBack = copy.apply(mutant);
  try {
    const { file, title } = mutant.caughtBy;
    const started = performance.now();
    const verdict = await runTests(copy, file, [title]);
    const ms = performance.now() - started;
    const caught = verdict.kind === 'failed';
    const survived = caught ? [] : [survivedTest(file, title, verdict)];
    const simulation = await asked(copy, mutant, survived);
    return { mutant, caught, ms, simulation, survived };
  } finally {
    putBack();
  }
}

function survivedTest(file: string, title: string, verdict: { kind: string; reason?: string }): string {
  const why = verdict.kind === 'passed' ? 'passes' : `says nothing (${verdict.reason})`;
  return `“${title}” of ${file} ${why}`;
}

/** Of how many nodes the simulation is that must notice. */
const nodesFor = { notices: 1, 'notices with two nodes': 2 } as const;

async function asked(copy: Copy, { simulation }: Mutant, survived: string[]): Promise<string> {
  if (simulation === undefined) return '';
  if (typeof simulation !== 'string') return `blind: ${simulation.blind}`;
  const caught = await runSimulation(copy, nodesFor[simulation], true);
  if (caught === 'late') survived.push('the simulation has no verdict within two minutes');
  else if (caught === null) survived.push('the simulation keeps every invariant');
  else return `seed ${caught.seed}, shards ${caught.shards}, nodes ${nodesFor[simulation]}`;
  return 'NOT SEEN';
}

/**
 * Sees that the tests pass, and the simulation, before anything is put in: only then a failure is the mutant's.
 * @throws Error naming the first test that does not
 */
export async function expectHealthy(
  copy: Copy,
  mutants: readonly Mutant[],
  say: (line: string) => void,
): Promise<void> {
  const files = Map.groupBy(mutants, ({ caughtBy }) => caughtBy.file);
  for (const [file, watched] of files) {
    const titles = [...new Set(watched.map(({ caughtBy }) => caughtBy.title))];
    const verdict = await runTests(copy, file, titles);
    if (verdict.kind === 'failed') throw new Error(`“${verdict.title}” of ${file} fails without any mutant.`);
    if (verdict.kind === 'mute') throw new Error(`${verdict.reason}, without any mutant.`);
    const missing = titles.find((title) => !verdict.titles.some((name) => name.includes(title)));
    if (missing !== undefined) throw new Error(`${file} has no test “${missing}” that runs here.`);
    say(`unchanged: ${file} passes`);
  }
  for (const [simulation, nodes] of Object.entries(nodesFor)) {
    if (!mutants.some((mutant) => mutant.simulation === simulation)) continue;
    const failing = await runSimulation(copy, nodes, false);
    if (failing !== null) throw new Error(`The simulation fails without any mutant: ${JSON.stringify(failing)}.`);
    say(`unchanged: the simulation passes, nodes: ${nodes}`);
  }
}
