import { parentPort, workerData } from 'node:worker_threads';
import { type Run, type RunOptions, run } from './run.ts';

/** What a worker is given at its start. */
export interface SeedWorkerData {
  /** Where its runs have their files. */
  folder: string;
  /** The last line of the run under way, for those who find it hanging: bytes of UTF-8, ended by a 0. */
  lastLine: SharedArrayBuffer;
}

/** Runs one seed after the other, as it is told. */
const port = parentPort;
if (port === null) throw new Error('Seeds are run in a worker thread.');
const { folder, lastLine } = workerData as SeedWorkerData;
const encoder = new TextEncoder();
const bytes = new Uint8Array(lastLine);
/** Promises of the run under way that nobody took: each would have ended a process. */
let rejected: string[] = [];

process.on('unhandledRejection', (error) => {
  rejected.push(`nobody caught ${error instanceof Error ? error.stack : String(error)}`);
});

function onLine(line: string): void {
  // Not into shared memory at once: `encodeInto` does not write there.
  const { written } = encoder.encodeInto(line, own);
  bytes.set(own.subarray(0, written));
  bytes[Math.min(written, bytes.length - 1)] = 0;
}
const own = new Uint8Array(bytes.length - 1);

port.on('message', async (options: RunOptions) => {
  rejected = [];
  const result = await run({ ...options, folder, onLine }).catch(
    (error: Error): Run => ({ hash: '', events: 0, problems: [`the run broke: ${error.stack}`], trace: [] }),
  );
  port.postMessage({ ...result, problems: [...result.problems, ...rejected] } satisfies Run);
});
