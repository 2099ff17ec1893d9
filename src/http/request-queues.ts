import { Failure } from '#actors/errors.ts';
import type { Cancel, Clock } from '#actors/ports.ts';
import { Company } from '#actors/runtime/company.ts';

export interface QueueLimits {
  /** Requests of one caller at work at the same time: while it is alone, and while others want something too. */
  alone: number;
  inCompany: number;
  /** Requests of one caller that wait at most, and how long, in ms. */
  waiting: number;
  waitMs: number;
}

/** Bounds of docs/architecture.md, "Limits and back-pressure". */
export const queueLimits: QueueLimits = { alone: 256, inCompany: 16, waiting: 512, waitMs: 10_000 };

const retryAfterSeconds = 1;

/** The right to be worked on; disposing of it says that the work is done. */
export interface Entry extends Disposable {
  /** The same, for work that goes on without being counted. */
  end(): void;
}

interface Waiting {
  begin(entry: Entry): void;
  giveUp: Cancel;
}

/** The requests of one caller. */
interface Line {
  atWork: number;
  waiting: Waiting[];
  /** The pass of the event loop in which its last one began. */
  pass: number;
}

/**
 * Whose request is worked on next. A caller who is alone goes on at once; of several, each has one request begun in a
 * pass of the event loop, so that nobody waits for more than one of each other caller, however many they send.
 */
export class RequestQueues {
  readonly #clock: Pick<Clock, 'elapsed' | 'schedule' | 'soon'>;
  readonly #limits: QueueLimits;
  readonly #lines = new Map<string, Line>();
  readonly #company = new Company();
  #pass = 0;
  #scheduled = false;

  constructor(clock: Pick<Clock, 'elapsed' | 'schedule' | 'soon'>, limits: QueueLimits = queueLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Resolves when a request of the caller may begin. @throws Failure `overloaded` */
  async enter(caller: string): Promise<Entry> {
    this.#company.seen(caller, this.#clock.elapsed());
    const line = this.#lines.get(caller) ?? { atWork: 0, waiting: [], pass: -1 };
    this.#lines.set(caller, line);
    if (line.waiting.length === 0 && this.#mayBegin(caller, line)) return this.#begin(line);
    if (line.waiting.length >= this.#limits.waiting) throw tooMany();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: resolve,
        giveUp: this.#clock.schedule(this.#limits.waitMs, () => {
          line.waiting.splice(line.waiting.indexOf(waiting), 1);
          reject(tooMany());
        }),
      };
      line.waiting.push(waiting);
      this.#runSoon();
    });
  }

  #mayBegin(caller: string, { atWork, pass }: Line): boolean {
    if (!this.#company.has(caller, this.#clock.elapsed())) return atWork < this.#limits.alone;
    return atWork < this.#limits.inCompany && pass !== this.#pass;
  }

  #begin(line: Line): Entry {
    line.atWork++;
    line.pass = this.#pass;
    this.#runSoon();
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      line.atWork--;
      this.#runSoon();
    };
    return { end, [Symbol.dispose]: end };
  }

  #runSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.soon(this.#run);
  }

  /** A new pass: begins one request of each caller who has one and may. */
  #run = (): void => {
    this.#scheduled = false;
    this.#pass++;
    for (const [caller, line] of this.#lines) {
      if (line.waiting.length === 0) {
        if (line.atWork === 0) this.#lines.delete(caller);
        continue;
      }
      if (!this.#mayBegin(caller, line)) continue;
      const next = line.waiting.shift()!;
      next.giveUp();
      next.begin(this.#begin(line));
    }
  };
}

const tooMany = (): Failure =>
  new Failure('overloaded', 'Too many requests of this caller are waiting. Nothing was changed; try again.', {
    retryAfter: retryAfterSeconds,
  });
