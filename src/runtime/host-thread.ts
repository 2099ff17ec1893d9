import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Logger } from '#actors/ports.ts';
import type { RetentionPolicy } from '#actors/runtime/retention.ts';
import type { Durability } from '#actors/store/database.ts';
import type { SealKeys } from '#src/security/seal-key.ts';

/** What a host is told about its file. */
export interface HostSettings extends SealKeys {
  file: string;
  durability: Durability;
  shards: number;
  /** Milliseconds. */
  retention: RetentionPolicy;
}

/** What the worker is given. */
export interface HostStart extends HostSettings {
  /** Of the open file: through it, writes of SQLite can be forced to the disk. */
  descriptor: number;
  nats: { url: string; user?: string; password?: string };
}

/** What the worker is asked: how it does, or to stop. */
export type HostRequest = 'look' | 'stop';

/** What the worker says to each look, and at first when it is ready. */
export interface HostMessage {
  /** Null when the host does its work, else why not. */
  problem: string | null;
}

/** Wait before a host that died is started again, in ms. */
const restartDelay = 200;
const stopTimeout = 4_000;

/** How a thread is watched. */
export interface HostWatch {
  /** It is looked at this often, in ms. */
  lookEvery: number;
  /** Looks without an answer after which it counts as hanging, and after which it is ended: a long batch is neither. */
  hanging: number;
  ended: number;
}

/** Other than the usual, for tests. */
export interface HostThreadParts {
  watch?: HostWatch;
  /** What the thread runs. */
  program?: URL;
}

const usualWatch: HostWatch = { lookEvery: 500, hanging: 3, ended: 20 };
const usualProgram = new URL('./host-worker.ts', import.meta.url);

/**
 * The host's thread, as the main thread sees it. A host that dies is started again, one that hangs is ended: all it
 * knows is in the file.
 */
export class HostThread {
  readonly #start: Omit<HostStart, 'descriptor'>;
  readonly #log: Logger;
  readonly #watch: HostWatch;
  readonly #program: URL;
  #worker: Worker | null = null;
  #ready = false;
  #stopping = false;
  #descriptor: number | null = null;
  /** What the worker has said last. */
  #said: string | null = null;
  /** Looks that it has not answered. */
  #misses = 0;
  #looking: NodeJS.Timeout | undefined;

  constructor(start: Omit<HostStart, 'descriptor'>, log: Logger, parts: HostThreadParts = {}) {
    this.#start = start;
    this.#log = log;
    this.#watch = parts.watch ?? usualWatch;
    this.#program = parts.program ?? usualProgram;
  }

  /** Null when the host takes commands and does its work, else why not. */
  problem(): string | null {
    if (!this.#ready) return 'the actor host is not running';
    return this.#misses >= this.#watch.hanging ? 'the actor host does not answer' : this.#said;
  }

  /** @throws Error when the host does not come up: the file can not be opened, NATS can not be reached */
  async start(): Promise<void> {
    // Appending makes the file where it is missing, and changes nothing else.
    this.#descriptor ??= openSync(this.#start.file, 'a');
    const workerData: HostStart = { ...this.#start, descriptor: this.#descriptor };
    const worker = new Worker(this.#program, { workerData });
    this.#worker = worker;
    worker.once('exit', (code) => this.#exited(worker, code));
    await firstMessage(worker);
    worker.on('error', (error) => this.#log.error({ reason: (error as Error).message }, 'host.failed'));
    worker.on('message', ({ problem }: HostMessage) => {
      this.#said = problem;
      this.#misses = 0;
    });
    this.#ready = true;
    this.#look(worker);
  }

  /** Looks are counted and not timed: after a stop of the whole process nobody is blamed for its length. */
  #look(worker: Worker): void {
    this.#said = null;
    this.#misses = 0;
    const { lookEvery, ended } = this.#watch;
    this.#looking = setInterval(() => {
      if (++this.#misses === ended) this.#end(worker);
      else if (this.#misses < ended) worker.postMessage('look' satisfies HostRequest);
    }, lookEvery).unref();
  }

  /** Native code, such as a wait for the disk, goes on to its end before. */
  #end(worker: Worker): void {
    this.#log.error({ ms: this.#watch.ended * this.#watch.lookEvery }, 'host.hangs');
    void worker.terminate();
  }

  /** Lets the host answer what it has taken, then ends the thread. No connection to the file may be open in this one. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#stopWorker();
    // Closing it ends every lock that this process has on the file (POSIX), so it comes after the last connection.
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  async #stopWorker(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    if (!this.#ready) {
      await worker.terminate();
      return;
    }
    this.#ready = false;
    clearInterval(this.#looking);
    const stopped = once(worker, 'exit');
    worker.postMessage('stop' satisfies HostRequest);
    const deadline = setTimeout(() => void worker.terminate(), stopTimeout);
    await stopped;
    clearTimeout(deadline);
  }

  #exited(worker: Worker, code: number): void {
    if (this.#worker !== worker || this.#stopping || !this.#ready) return;
    this.#ready = false;
    clearInterval(this.#looking);
    this.#log.error({ code }, 'host.exited');
    this.#restartSoon();
  }

  #restartSoon(): void {
    setTimeout(() => {
      if (this.#stopping) return;
      this.start().then(
        () => this.#log.info({}, 'host.restarted'),
        (error: Error) => {
          if (this.#stopping) return;
          this.#log.error({ reason: error.message }, 'host.restart_failed');
          this.#restartSoon();
        },
      );
    }, restartDelay);
  }
}

/** @throws Error the worker's own, or that it ended without a word */
async function firstMessage(worker: Worker): Promise<void> {
  // `once` rejects with the worker's error.
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`the actor host ended with code ${code} before it was ready`);
  });
  await Promise.race([once(worker, 'message'), ended]);
}
