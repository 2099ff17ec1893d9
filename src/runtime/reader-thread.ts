import { Worker } from 'node:worker_threads';
import { Failure, type FailureData } from '#actors/errors.ts';
import type { Logger } from '#actors/ports.ts';
import { type LongReadName, type LongReads, longReadsBy } from './long-reads.ts';

/** What the worker is given. */
export interface ReaderStart {
  file: string;
  shards: number;
  /** What the file's secrets are encrypted with. */
  sealKey: Uint8Array;
  /** Shared memory: the number of the last read that was cut. */
  cut: Int32Array<SharedArrayBuffer>;
}

/** What the worker is asked: a read and what it takes. */
export interface ReaderQuestion {
  /** One more than that of the read before it. */
  number: number;
  name: LongReadName;
  asked: unknown[];
}

/** `forget`: what was erased of rows must not be shown from memory. */
export type ReaderRequest = ReaderQuestion | 'forget' | 'stop';

/** What the worker says to a question; before the first one it says `ready`. */
export type ReaderAnswer = { result: unknown } | { failure: FailureData } | { error: unknown; code?: unknown };

/** A line of the log: what the worker tells unasked. */
export type ReaderReport = { level: keyof Logger; fields: Record<string, unknown>; event: string };

export interface ReaderLimits {
  /** How long one read may take, and how long it may wait before, in ms. */
  readMs: number;
  waitMs: number;
  /** Reads that wait at most: in all, and of one caller. */
  waiting: number;
  waitingOfOne: number;
}

interface Read extends Omit<ReaderQuestion, 'number'> {
  caller: string;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

const defaultLimits: ReaderLimits = { readMs: 2_000, waitMs: 10_000, waiting: 64, waitingOfOne: 16 };
const stopTimeout = 2_000;
/** Enough for a page of a thousand large items. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 };

/**
 * Does long reads in a thread of its own, one after another, round the callers. The thread is made at the start, or when
 * there is a first read, and again when it died. A read that takes too long is answered at once, and the next one begins when the thread notices: at
 * the next row, or, where the query does not ask, at its end.
 */
export class ReaderThread {
  readonly #start: ReaderStart;
  readonly #cutNumber = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #log: Logger;
  readonly #limits: ReaderLimits;
  /** Of each caller, in their order. Insertion order is the order of serving: who was served goes to the end. */
  readonly #waiting = new Map<string, Read[]>();
  #worker: Worker | null = null;
  #ready = false;
  #current: Read | null = null;
  #number = 0;
  #stopped = false;

  constructor(start: Omit<ReaderStart, 'cut'>, log: Logger, limits: ReaderLimits = defaultLimits) {
    this.#start = { ...start, cut: this.#cutNumber };
    this.#log = log;
    this.#limits = limits;
  }

  /** Starts the thread before anybody asks: it has the index of filters follow. */
  start(): void {
    this.#worker ??= this.#make();
  }

  /** Reads of a caller. Fail with `query_too_slow`, and with `overloaded` when too many wait or one waits too long. */
  readsFor(caller: string): LongReads {
    return longReadsBy((name, asked) => this.#ask(caller, name, asked));
  }

  /** What was erased of rows is not shown from memory any longer. */
  forgetErased(): void {
    this.#worker?.postMessage('forget' satisfies ReaderRequest);
  }

  /** Refuses every read from now on, and those that wait, and resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refuseAll(stopping());
    if (this.#current !== null) this.#cut(this.#current, stopping());
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // Not `terminate`: without JavaScript a query would not notice that it was cut.
    worker.postMessage('stop' satisfies ReaderRequest);
    const deadline = setTimeout(() => void worker.terminate(), stopTimeout);
    await ended;
    clearTimeout(deadline);
  }

  #ask(caller: string, name: LongReadName, asked: unknown[]): Promise<unknown> {
    if (this.#stopped) return Promise.reject(stopping());
    const ofCaller = this.#waiting.get(caller) ?? [];
    const { waiting, waitingOfOne } = this.#limits;
    if (ofCaller.length >= waitingOfOne || this.#allWaiting().length >= waiting) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const read: Read = {
        caller,
        name,
        asked,
        resolve,
        reject,
        timer: setTimeout(() => this.#giveUp(read), this.#limits.waitMs),
      };
      ofCaller.push(read);
      this.#waiting.set(caller, ofCaller);
      this.#next();
    });
  }

  #giveUp(read: Read): void {
    const ofCaller = this.#waiting.get(read.caller)!;
    ofCaller.splice(ofCaller.indexOf(read), 1);
    if (ofCaller.length === 0) this.#waiting.delete(read.caller);
    this.#refuse(read, tooMany());
  }

  #allWaiting(): Read[] {
    return [...this.#waiting.values()].flat();
  }

  #refuseAll(failure: Failure): void {
    for (const read of this.#allWaiting()) this.#refuse(read, failure);
    this.#waiting.clear();
  }

  #refuse(read: Read, failure: Failure): void {
    clearTimeout(read.timer);
    read.reject(failure);
  }

  /** Gives the thread the next read, if it is there and has none. */
  #next(): void {
    if (this.#current !== null || this.#waiting.size === 0 || this.#stopped) return;
    this.#worker ??= this.#make();
    if (!this.#ready) return;
    const [caller, ofCaller] = this.#waiting.entries().next().value!;
    const read = ofCaller.shift()!;
    this.#waiting.delete(caller);
    if (ofCaller.length > 0) this.#waiting.set(caller, ofCaller);
    this.#current = read;
    clearTimeout(read.timer);
    read.timer = setTimeout(() => this.#tooSlow(read), this.#limits.readMs);
    this.#worker.postMessage({ number: ++this.#number, name: read.name, asked: read.asked } satisfies ReaderRequest);
  }

  #tooSlow(read: Read): void {
    this.#log.warn({ read: read.name, ms: this.#limits.readMs }, 'read.cut');
    this.#cut(read, tooSlow(this.#limits.readMs));
  }

  /** Answers the current read; what the thread says to it later means only that it is free again. */
  #cut(read: Read, failure: Failure): void {
    this.#refuse(read, failure);
    Atomics.store(this.#cutNumber, 0, this.#number);
  }

  #make(): Worker {
    const url = new URL('./reader-worker.ts', import.meta.url);
    const worker = new Worker(url, { workerData: this.#start, resourceLimits });
    let cameUp = false;
    worker.on('message', (answer: ReaderAnswer | ReaderReport | 'ready') => {
      cameUp = true;
      if (typeof answer === 'object' && 'level' in answer) return this.#log[answer.level](answer.fields, answer.event);
      this.#ready = true;
      if (answer !== 'ready') this.#answered(answer);
      this.#next();
    });
    let problem: unknown = null;
    worker.on('error', (error) => {
      problem = error;
      this.#log.error({ reason: (error as Error).message }, 'reader.failed');
    });
    worker.once('exit', () => this.#exited(cameUp, problem));
    return worker;
  }

  #answered(answer: ReaderAnswer): void {
    const read = this.#current;
    this.#current = null;
    if (read === null) return;
    clearTimeout(read.timer);
    if ('result' in answer) read.resolve(answer.result);
    else if ('failure' in answer) read.reject(Failure.from(answer.failure));
    // A thread's errors come without what the driver has added to them.
    else
      read.reject(
        answer.code === undefined ? answer.error : Object.assign(answer.error as Error, { code: answer.code }),
      );
  }

  /** The thread ended by itself: its problem is that of the read it had. */
  #exited(cameUp: boolean, problem: unknown): void {
    this.#worker = null;
    this.#ready = false;
    this.#answered({ error: problem ?? new Error('The thread of long reads has ended.') });
    // A thread that does not come up would be made again and again.
    if (!cameUp) this.#refuseAll(notRunning());
    this.#next();
  }
}

const tooSlow = (ms: number): Failure =>
  new Failure(
    'query_too_slow',
    `The query took longer than ${ms / 1000} s and was cut. Ask for less, with other filters.`,
  );
const tooMany = (): Failure =>
  new Failure('overloaded', 'Too many long queries are waiting. Try again.', { retryAfter: 1 });
const notRunning = (): Failure =>
  new Failure('unavailable', 'Long queries can not be answered now. Try again.', { retryAfter: 1 });
const stopping = (): Failure => new Failure('unavailable', 'The hub is stopping. Try again.', { retryAfter: 1 });
