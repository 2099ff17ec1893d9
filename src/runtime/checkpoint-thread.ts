import { Worker } from 'node:worker_threads';
import type { Moved, Mover } from '#actors/store/checkpoints.ts';

/** What the worker is given. */
export interface CheckpointStart {
  file: string;
  /** Of the open file. The worker does not close it. */
  descriptor: number;
}

/** What the worker is asked, as `Mover` says. */
export type CheckpointRequest = { near: number; empty: boolean } | 'stop';

/** It holds a statement or two. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };
const stopTimeout = 2_000;

/** The thread that moves the write-ahead log. It is made with the first request, and again when it died. */
export class CheckpointThread implements Mover {
  readonly #start: CheckpointStart;
  #worker: Worker | null = null;
  #done: ((moved: Moved) => void) | null = null;

  constructor(start: CheckpointStart) {
    this.#start = start;
  }

  move(near: number, empty: boolean, done: (moved: Moved) => void): void {
    this.#done = done;
    this.#worker ??= this.#make();
    this.#worker.postMessage({ near, empty } satisfies CheckpointRequest);
  }

  /** Resolves when the thread has ended and its connection is closed. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('stop' satisfies CheckpointRequest);
    const deadline = setTimeout(() => void worker.terminate(), stopTimeout);
    await ended;
    clearTimeout(deadline);
  }

  #make(): Worker {
    const url = new URL('./checkpoint-worker.ts', import.meta.url);
    const worker = new Worker(url, { workerData: this.#start, resourceLimits });
    let problem = 'the thread of checkpoints has ended';
    worker.on('message', (moved: Moved) => this.#end(moved));
    worker.on('error', (error) => {
      problem = (error as Error).message;
    });
    worker.once('exit', () => {
      this.#worker = null;
      this.#end({ emptied: false, problem });
    });
    return worker;
  }

  #end(moved: Moved): void {
    const done = this.#done;
    this.#done = null;
    done?.(moved);
  }
}
