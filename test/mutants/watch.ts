import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runIn } from './child.ts';
import type { Copy } from './copy.ts';
import type { CaughtBySeed } from './first-failing-seed.ts';

/** How long a mutant may live, in ms. */
const patience = 120_000;
/** Of a test, in ms: on a busy machine only a mutant may make it fail. */
const testPatience = 20_000;
/** The whole simulation on the unchanged copy has more seeds to run. */
const baselinePatience = 600_000;

/** What tests said. */
export type Verdict =
  | { kind: 'passed'; titles: string[] }
  | { kind: 'failed'; title: string }
  /** No test could speak. */
  | { kind: 'mute'; reason: string };

interface Report {
  testResults: {
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

/** Runs the tests of a file whose names contain one of the titles. */
export async function runTests(copy: Copy, file: string, titles: readonly string[]): Promise<Verdict> {
  const report = join(copy.temporary, 'report.json');
  rmSync(report, { force: true });
  const pattern = titles.map((title) => RegExp.escape(title)).join('|');
  const { code, errors } = await runIn(
    copy,
    [
      ...[join('node_modules', 'vitest', 'vitest.mjs'), 'run', file, '--root', copy.folder, '-t', pattern],
      ...[
        '--pool=forks',
        '--maxWorkers=1',
        '--bail=1',
        `--testTimeout=${testPatience}`,
        '--reporter=json',
        `--outputFile=${report}`,
      ],
    ],
    patience,
  );
  if (code === null) return { kind: 'mute', reason: `no verdict within ${patience / 1_000} s` };
  if (!existsSync(report)) return { kind: 'mute', reason: `vitest left no report: ${reasonIn(errors)}` };
  return verdictOf(JSON.parse(readFileSync(report, 'utf8')) as Report, file);
}

function verdictOf({ testResults }: Report, file: string): Verdict {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed) return { kind: 'failed', title: failed.fullName };
  const broken = testResults.find(({ status }) => status === 'failed');
  if (broken) return { kind: 'mute', reason: `${file} can not be run: ${broken.message.split('\n')[0]}` };
  return { kind: 'passed', titles: tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName) };
}

/** What a program died of: its error's line, else the last one. */
function reasonIn(text: string): string {
  const lines = text.trim().split('\n');
  return lines.find((line) => line.includes('Error')) ?? lines.at(-1)!;
}

/** The first seed of the simulation that fails; null when all are well. */
export async function runSimulation(
  copy: Copy,
  nodes: 1 | 2,
  isMutated: boolean,
): Promise<CaughtBySeed | null | 'late'> {
  const program = join('test', 'mutants', 'first-failing-seed.ts');
  const { code, output, errors } = await runIn(copy, [program, String(nodes)], isMutated ? patience : baselinePatience);
  if (code === null) return 'late';
  if (code !== 0) throw new Error(`The simulation broke: ${reasonIn(errors)}`);
  return JSON.parse(output) as CaughtBySeed | null;
}
