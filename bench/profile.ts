import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchHub } from './hub.ts';
import { fullScale } from './scenario.ts';
import { saturate } from './scenarios/ingest.ts';
import { temporaryFolder } from './server-process.ts';

/**
 * Prints where the time of the hub's threads goes under single-message ingest, one profile for each thread; or that of
 * the `.cpuprofile` files it is given (made with `node --cpu-prof`): `node bench/profile.ts [FILE …]`.
 */

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

const lines = 30;
const microseconds = 1_000_000;

interface Spent {
  self: number;
  /** Including what it called; a recursive function counts once. */
  total: number;
}

function spentBy(profile: CpuProfile): Map<string, Spent> {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const { id, callFrame, children } of profile.nodes) {
    const { functionName, url, lineNumber } = callFrame;
    names.set(id, `${functionName || '(anonymous)'} ${shortUrl(url)}:${lineNumber + 1}`);
    for (const child of children ?? []) parents.set(child, id);
  }
  const spent = new Map<string, Spent>();
  const of = (name: string): Spent => {
    const known = spent.get(name) ?? { self: 0, total: 0 };
    spent.set(name, known);
    return known;
  };
  for (const [i, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[i]!;
    of(names.get(id)!).self += delta;
    const stack = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.add(names.get(at)!);
    for (const name of stack) of(name).total += delta;
  }
  return spent;
}

/** The last folder and the file: enough to find it. */
const shortUrl = (url: string): string => url.split('/').slice(-2).join('/');

function print(file: string): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const spent = spentBy(profile);
  const whole = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0);
  const idleTime = [...spent].find(([name]) => name.startsWith('(idle)'))?.[1].self ?? 0;
  const busy = whole - idleTime;
  const percent = (time: number): string => `${((time / busy) * 100).toFixed(1).padStart(5)} %`;
  console.log(
    `\n${basename(file)}: ${(whole / microseconds).toFixed(1)} s, busy ${(busy / microseconds).toFixed(1)} s`,
  );
  for (const order of ['self', 'total'] as const) {
    console.log(`by ${order} time, of the busy time:`);
    const most = [...spent].filter(([name]) => !/^\((idle|root)\)/.test(name));
    most.sort(([, a], [, b]) => b[order] - a[order]);
    for (const [name, time] of most.slice(0, lines)) console.log(`  ${percent(time[order])}  ${name}`);
  }
}

async function profileIngest(): Promise<void> {
  const folder = temporaryFolder();
  await using hub = await BenchHub.start(['--cpu-prof', `--cpu-prof-dir=${folder}`]);
  const { perSecond } = await saturate(hub.url, hub.token, fullScale);
  console.log(`${perSecond.toFixed(0)} messages/s under the profiler`);
  await hub.stop();
  for (const name of readdirSync(folder).filter((candidate) => candidate.endsWith('.cpuprofile'))) {
    print(join(folder, name));
  }
  rmSync(folder, { recursive: true, force: true });
}

const files = process.argv.slice(2);
if (files.length === 0) await profileIngest();
for (const file of files) print(file);
