import { Worker } from 'node:worker_threads';
import type { Logger } from '#actors/ports.ts';
import type { Mover } from '#actors/store/checkpoints.ts';

/** What the worker is given. */
export interface CheckpointStart {
  file: string;
  /** Of the open file. The worker does not close it. */
  descriptor: number;
}

/** What the worker is asked, as `Mover` says. */
export type CheckpointRequest = { near: number; empty: boolean } | 'stop';

/** What the worker says when it has done what it was asked. */
export interface CheckpointMessage {
  emptied: boolean;
  problem: string | null;
}

/** It holds a statement or two. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };
const stopTimeout = 2_000;

/** The thread that moves the write-ahead log. It is made with the first request, and again when it died. */
export class CheckpointThread implements Mover {
  readonly #start: CheckpointStart;
  readonly #log: Logger;
  #worker: Worker | null = null;
  #done: ((emptied: boolean) => void) | null = null;

  constructor(start: CheckpointStart, log: Logger) {
    this.#start = start;
    this.#log = log;
  }

  move(near: number, empty: boolean, done: (emptied: boolean) => void): void {
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
    worker.on('message', ({ emptied, problem }: CheckpointMessage) => {
      if (problem !== null) this.#log.error({ reason: problem }, 'checkpoint.failed');
      this.#end(emptied);
    });
    worker.on('error', (error) => this.#log.error({ reason: (error as Error).message }, 'checkpoint.failed'));
    worker.once('exit', () => {
      this.#worker = null;
      this.#end(false);
    });
    return worker;
  }

  #end(emptied: boolean): void {
    const done = this.#done;
    this.#done = null;
    done?.(emptied);
  }
}
