import { type Bus, BusError, type Parcel } from '#actors/ports.ts';
import { subjectMatches } from '../_support/memory-bus.ts';
import { never, type SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How likely each fault is, for each message on its way. */
export interface BusFaults {
  lose: number;
  repeat: number;
  /** Up to `slowest` ms late instead of a few. */
  slow: number;
  /** A request fails at once, whether or not it arrived. */
  disconnect: number;
}

export const noBusFaults: BusFaults = { lose: 0, repeat: 0, slow: 0, disconnect: 0 };

const quickest = 4;
const slowest = 4_000;

interface Subscription {
  pattern: string;
  process: SimulatedProcess;
  handle(parcel: Parcel): void;
}

export interface UnreliableBusOptions {
  time: VirtualTime;
  random: Random;
  trace: Trace;
  /** Whether what one process sends can reach another one. */
  reaches(from: SimulatedProcess, to: SimulatedProcess): boolean;
  /** Called before everything that a process sends: it may kill the process. */
  step(process: SimulatedProcess, name: string): void;
}

/** A bus that keeps no promise but that of the port: it loses, repeats, delays and so reorders. */
export class UnreliableBus {
  faults: BusFaults = noBusFaults;
  readonly #options: UnreliableBusOptions;
  readonly #subscriptions = new Set<Subscription>();

  constructor(options: UnreliableBusOptions) {
    this.#options = options;
  }

  /** The bus as one process sees it. */
  connect(process: SimulatedProcess): Bus {
    return {
      request: (subject, data, timeoutMs) => this.#request(process, subject, data, timeoutMs),
      publish: (subject, data) => {
        this.#options.step(process, 'publish');
        if (!process.alive) return;
        this.#carry(() => {
          for (const served of this.#serving(process, subject)) served.handle({ subject, data, respond() {} });
        });
      },
      subscribe: (pattern, handle) => {
        const subscription: Subscription = { pattern, process, handle };
        this.#subscriptions.add(subscription);
        const cancel = (): boolean => this.#subscriptions.delete(subscription);
        process.onDeath(cancel);
        return cancel;
      },
      flush: () => Promise.resolve(),
    };
  }

  /** How many processes take what is sent to a subject. */
  serving(subject: string): number {
    return [...this.#subscriptions].filter(({ pattern }) => subjectMatches(pattern, subject)).length;
  }

  #serving(from: SimulatedProcess, subject: string): Subscription[] {
    const { reaches } = this.#options;
    return [...this.#subscriptions].filter(
      ({ pattern, process }) => subjectMatches(pattern, subject) && reaches(from, process),
    );
  }

  #request(process: SimulatedProcess, subject: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const { random, step } = this.#options;
    if (process.alive) step(process, 'request');
    if (!process.alive) return never();
    return new Promise((resolve, reject) => {
      let open = true;
      const end = (finish: () => void): void => {
        if (!open || !process.alive) return;
        open = false;
        cancel();
        finish();
      };
      const fail = (reason: 'no_responder' | 'timeout' | 'disconnected') => () =>
        end(() => reject(new BusError(reason, `${reason} on ${subject}`)));
      const cancel = process.clock.schedule(timeoutMs, fail('timeout'));
      if (random.chance(this.faults.disconnect)) process.clock.schedule(random.int(20), fail('disconnected'));
      this.#carry(() => {
        const serving = this.#serving(process, subject);
        if (serving.length === 0) this.#carry(fail('no_responder'));
        for (const served of serving)
          this.#serve(process, served, subject, data, (answer) => end(() => resolve(answer)));
      });
    });
  }

  #serve(
    from: SimulatedProcess,
    served: Subscription,
    subject: string,
    data: Uint8Array,
    answered: (answer: Uint8Array) => void,
  ): void {
    const respond = (answer: Uint8Array): void => {
      this.#options.step(served.process, 'reply');
      if (served.process.alive && this.#options.reaches(served.process, from)) this.#carry(() => answered(answer));
    };
    this.#options.trace.note('take', subject);
    served.handle({ subject, data, respond });
  }

  #carry(arrive: () => void): void {
    const { random, time } = this.#options;
    if (random.chance(this.faults.lose)) return;
    const copies = random.chance(this.faults.repeat) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      time.after(random.int(random.chance(this.faults.slow) ? slowest : quickest), arrive);
    }
  }
}
