import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '#actors/errors.ts';
import { openStoreReader } from '#actors/store-reader.ts';
import { readLong } from './long-reads.ts';
import type { ReaderAnswer, ReaderQuestion, ReaderRequest, ReaderStart } from './reader-thread.ts';

/** The worker thread that does long reads, one at a time. */
const { file, shards, sealKey, cut } = workerData as ReaderStart;
const port = parentPort;
if (port === null) throw new Error('Long reads run in a worker thread.');
/** A third of the processor, where another thread wants the same one. */
const niceness = 5;
yieldToOthers();
let current = 0;
const store = openStoreReader(file, shards, sealKey, () => Atomics.load(cut, 0) < current);

/**
 * A long read takes little of the processor from the threads that answer and write. Linux knows threads by ids like those of
 * processes; elsewhere they share evenly.
 */
function yieldToOthers(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.max(getPriority(), niceness));
  } catch {
    // Only a kindness: without it everything works.
  }
}

function answerTo({ name, asked, number }: ReaderQuestion): ReaderAnswer {
  current = number;
  try {
    return { result: readLong(store, name, asked) };
  } catch (error) {
    if (error instanceof Failure) return { failure: error.toData() };
    return { error, code: (error as { code?: unknown }).code };
  }
}

port.on('message', (request: ReaderRequest) => {
  if (request !== 'stop') return port.postMessage(answerTo(request));
  store.close();
  port.close();
});
port.postMessage('ready');
