import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Run, RunOptions } from './run.ts';
import type { SeedWorkerData } from './seed-worker.ts';
import { scratch } from './scratch.ts';

/** How long a run may take in real time, in ms: a hundred times what it takes. After it the thread is given up. */
const patience = 60_000;
const lineBytes = 512;

/** What a run came to. */
export interface SeedResult {
  options: RunOptions;
  run: Run;
}

/** The way to see a run again. */
export const replayOf = ({ seed, ...options }: RunOptions): string => {
  const { shards, steps, nodes } = options;
  const given = Object.entries({ shards, steps, nodes }).filter(([, value]) => value !== undefined);
  return ['npm run simulate -- --seed', seed, ...given.map(([name, value]) => `--${name} ${value}`)].join(' ');
};

/** A failed run in a sentence. */
export const described = ({ options, run }: SeedResult): string =>
  `seed ${options.seed} (shards ${options.shards}): ${run.problems.join('; ')}; see it again: ${replayOf(options)}`;

/**
 * Runs many seeds, side by side in threads: even one that never gives way ends, with a verdict.
 * @param onResult called in the order in which the runs end
 */
export async function runSeeds(
  jobs: readonly RunOptions[],
  onResult: (result: SeedResult) => void = () => {},
): Promise<SeedResult[]> {
  const folder = mkdtempSync(join(scratch, 'parley-seeds-'));
  const results: SeedResult[] = [];
  const queue = [...jobs];
  const work = async (): Promise<void> => {
    let thread: SeedThread | null = null;
    for (let options = queue.shift(); options !== undefined; options = queue.shift()) {
      thread ??= new SeedThread(folder);
      const run: Run | null = await thread.run(options);
      const result = { options, run: run ?? (await thread.giveUp()) };
      if (run === null) thread = null;
      results.push(result);
      onResult(result);
    }
    await thread?.end();
  };
  try {
    await Promise.all(Array.from({ length: Math.min(jobs.length, availableParallelism()) }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

/** A thread that runs seeds. */
class SeedThread {
  readonly #worker: Worker;
  readonly #lastLine = new SharedArrayBuffer(lineBytes);

  constructor(folder: string) {
    const workerData: SeedWorkerData = { folder, lastLine: this.#lastLine };
    this.#worker = new Worker(new URL('./seed-worker.ts', import.meta.url), { workerData, execArgv: [] });
  }

  /** Null when the run does not end. */
  run(options: RunOptions): Promise<Run | null> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => end(null), patience);
      const end = (run: Run | null): void => {
        clearTimeout(late);
        this.#worker.off('message', end).off('error', reject);
        resolve(run);
      };
      this.#worker.on('message', end).on('error', reject);
      this.#worker.postMessage(options);
    });
  }

  /** Ends the thread in the midst of its run. @returns a run with the verdict */
  async giveUp(): Promise<Run> {
    const bytes = Buffer.from(this.#lastLine);
    const line = bytes.toString('utf8', 0, bytes.indexOf(0));
    await this.#worker.terminate();
    const verdict = `the run hangs: something has not given way for ${patience / 1_000} s; last: ${line}`;
    return { hash: '', events: 0, problems: [verdict], trace: [] };
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
