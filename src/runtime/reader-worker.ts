import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '#actors/errors.ts';
import { openStoreReader } from '#actors/store-reader.ts';
import { readLong } from './long-reads.ts';
import type { ReaderAnswer, ReaderQuestion, ReaderRequest, ReaderStart } from './reader-thread.ts';

/** The worker thread that does long reads, one at a time. */
const { file, shards, sealKey, cut } = workerData as ReaderStart;
const port = parentPort;
if (port === null) throw new Error('Long reads run in a worker thread.');
let current = 0;
const store = openStoreReader(file, shards, sealKey, () => Atomics.load(cut, 0) < current);

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
