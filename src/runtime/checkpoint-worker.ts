import { fdatasyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Moved } from '#actors/store/checkpoints.ts';
import { openLogMover } from '#actors/store/log-mover.ts';
import type { CheckpointRequest, CheckpointStart } from './checkpoint-thread.ts';

/** The worker thread that moves the write-ahead log into the file. */
const { file, descriptor } = workerData as CheckpointStart;
const port = parentPort;
if (port === null) throw new Error('Checkpoints run in a worker thread.');
const mover = openLogMover(file, () => fdatasyncSync(descriptor));

const move = ({ near, empty }: Exclude<CheckpointRequest, 'stop'>): Moved => {
  try {
    return { emptied: mover.move(near, empty), problem: null };
  } catch (error) {
    return { emptied: false, problem: (error as Error).message };
  }
};

port.on('message', (request: CheckpointRequest) => {
  if (request !== 'stop') return port.postMessage(move(request));
  mover.close();
  port.close();
});
