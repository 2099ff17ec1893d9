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

/** What the worker says. */
export type HostMessage = { ready: true } | { stopped: true };

/** Wait before a host that died is started again, in ms. */
const restartDelay = 200;
const stopTimeout = 4_000;

/** The host's thread, as the main thread sees it. A host that dies is started again: all it knows is in the file. */
export class HostThread {
  readonly #start: Omit<HostStart, 'descriptor'>;
  readonly #log: Logger;
  #worker: Worker | null = null;
  #ready = false;
  #stopping = false;
  #descriptor: number | null = null;

  constructor(start: Omit<HostStart, 'descriptor'>, log: Logger) {
    this.#start = start;
    this.#log = log;
  }

  /** Null when the host takes commands, else why not. */
  problem(): string | null {
    return this.#ready ? null : 'the actor host is not running';
  }

  /** @throws Error when the host does not come up: the file can not be opened, NATS can not be reached */
  async start(): Promise<void> {
    // Appending makes the file where it is missing, and changes nothing else.
    this.#descriptor ??= openSync(this.#start.file, 'a');
    const workerData: HostStart = { ...this.#start, descriptor: this.#descriptor };
    const worker = new Worker(new URL('./host-worker.ts', import.meta.url), { workerData });
    this.#worker = worker;
    worker.once('exit', (code) => this.#exited(worker, code));
    // `once` rejects with the worker's error.
    await once(worker, 'message');
    worker.on('error', (error) => this.#log.error({ reason: (error as Error).message }, 'host.failed'));
    this.#ready = true;
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
    if (worker === null || !this.#ready) return;
    this.#ready = false;
    const stopped = once(worker, 'exit');
    worker.postMessage('stop');
    const deadline = setTimeout(() => void worker.terminate(), stopTimeout);
    await stopped;
    clearTimeout(deadline);
  }

  #exited(worker: Worker, code: number): void {
    if (this.#worker !== worker || this.#stopping || !this.#ready) return;
    this.#ready = false;
    this.#log.error({ code }, 'host.exited');
    this.#restartSoon();
  }

  #restartSoon(): void {
    setTimeout(() => {
      if (this.#stopping) return;
      this.start().then(
        () => this.#log.info({}, 'host.restarted'),
        (error: Error) => {
          this.#log.error({ reason: error.message }, 'host.restart_failed');
          this.#restartSoon();
        },
      );
    }, restartDelay);
  }
}
