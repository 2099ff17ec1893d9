import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import { Company } from '#actors/runtime/company.ts';

export interface FlowLimits {
  /** Commands of one caller under way at the same time: while it is alone, and while others want something too. */
  alone: number;
  inCompany: number;
  /** How long one waits at most, in ms. */
  waitMs: number;
}

/** Bounds of docs/architecture.md, "Limits and back-pressure". */
export const flowLimits: FlowLimits = { alone: 2_048, inCompany: 128, waitMs: 10_000 };

interface Waiting {
  since: number;
  go(): void;
  refuse(failure: Failure): void;
}

interface OfCaller {
  underWay: number;
  waiting: Waiting[];
}

/**
 * How many commands of one caller are on their way to the host: a request can mean a thousand. The others wait here, in
 * their order, where they cost nobody anything; in the host's mailbox they would take the room of others.
 */
export class CommandFlow {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #limits: FlowLimits;
  readonly #callers = new Map<string, OfCaller>();
  readonly #company = new Company();

  constructor(clock: Pick<Clock, 'elapsed'>, limits: FlowLimits = flowLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Does what sends a command, when there is room for it. @throws Failure `overloaded`; what `send` throws */
  async within<T>(caller: string, send: () => Promise<T>): Promise<T> {
    const now = this.#clock.elapsed();
    this.#company.seen(caller, now);
    const ofCaller = this.#callers.get(caller) ?? { underWay: 0, waiting: [] };
    this.#callers.set(caller, ofCaller);
    if (ofCaller.waiting.length > 0 || !this.#hasRoom(caller, ofCaller)) {
      await new Promise<void>((go, refuse) => ofCaller.waiting.push({ since: now, go, refuse }));
    } else {
      ofCaller.underWay++;
    }
    try {
      return await send();
    } finally {
      ofCaller.underWay--;
      this.#goOn(caller, ofCaller);
    }
  }

  #hasRoom(caller: string, { underWay }: OfCaller): boolean {
    const { alone, inCompany } = this.#limits;
    return underWay < (this.#company.has(caller, this.#clock.elapsed()) ? inCompany : alone);
  }

  /** Every command under way ends, and is the occasion to look at those that wait. */
  #goOn(caller: string, ofCaller: OfCaller): void {
    const now = this.#clock.elapsed();
    while (ofCaller.waiting.length > 0 && this.#hasRoom(caller, ofCaller)) {
      const { since, go, refuse } = ofCaller.waiting.shift()!;
      if (now - since > this.#limits.waitMs) {
        refuse(tooMany());
        continue;
      }
      ofCaller.underWay++;
      go();
    }
    if (ofCaller.underWay === 0 && ofCaller.waiting.length === 0) this.#callers.delete(caller);
  }
}

const tooMany = (): Failure =>
  new Failure('overloaded', 'Too many changes of this caller are waiting. Try again with less at once.', {
    retryAfter: 1,
  });
