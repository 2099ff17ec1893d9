import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingClient, OutgoingRequest } from '#src/outgoing/client.ts';
import { never, type SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What somebody who is called answers, how long after the call arrived (ms). */
export interface Answering {
  after: number;
  result: OutgoingResult;
  /** The hub has the answer, and is alive. */
  heard?(): void;
}

/** Somebody outside that the hub calls. */
export interface Callee {
  /** The hub begins to call. */
  called(hub: SimulatedProcess, request: OutgoingRequest): void;
  /** The call arrived, even if the hub died meanwhile. */
  answer(hub: SimulatedProcess, request: OutgoingRequest): Answering;
}

export interface CallsOptions {
  time: VirtualTime;
  random: Random;
  step(process: SimulatedProcess, name: string): void;
}

/** A call is on its way so long at most, in ms. */
const longestWay = 40;

/** The network between the hub and those that it calls. */
export class Calls {
  underWay = 0;
  readonly #options: CallsOptions;
  readonly #callee: Callee;

  constructor(callee: Callee, options: CallsOptions) {
    this.#callee = callee;
    this.#options = options;
  }

  /** The client of one hub process. */
  clientFor(hub: SimulatedProcess): OutgoingClient {
    return { send: (request) => this.#post(hub, request), close: () => Promise.resolve() };
  }

  #post(hub: SimulatedProcess, request: OutgoingRequest): Promise<OutgoingResult> {
    const { random, time, step } = this.#options;
    if (!hub.alive) return never();
    step(hub, 'call');
    if (!hub.alive) return never();
    this.#callee.called(hub, request);
    this.underWay++;
    return new Promise((resolve) => {
      time.after(random.int(longestWay), () => {
        const { after, result, heard } = this.#callee.answer(hub, request);
        time.after(after, () => {
          this.underWay--;
          step(hub, 'answer');
          if (!hub.alive) return;
          heard?.();
          resolve(result);
        });
      });
    });
  }
}

export const answered = (status: number, body: string, retryAfter?: string): OutgoingResult => ({
  kind: 'answered',
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body,
  truncated: false,
  durationMs: 1,
});

export const failed = (reason: 'timeout' | 'connection'): OutgoingResult => ({ kind: 'failed', reason, durationMs: 1 });
