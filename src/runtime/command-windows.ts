import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import { Company } from '#actors/runtime/company.ts';

export interface WindowLimits {
  /** Commands of one caller under way at the same time: while it is alone, and while others want something too. */
  alone: number;
  inCompany: number;
  /** How long one waits at most, in ms. */
  waitMs: number;
}

/** Bounds of docs/architecture.md, "Limits and back-pressure". */
export const windowLimits: WindowLimits = { alone: 2_048, inCompany: 128, waitMs: 10_000 };

interface Waiting {
  since: number;
  go(): void;
  refuse(failure: Failure): void;
}

interface Window {
  underWay: number;
  waiting: Waiting[];
}

/**
 * How many commands of one caller are on their way to the host: a request can mean a thousand. The others wait here, in
 * their order, where they cost nobody anything; in the host's mailbox they would take the room of others.
 */
export class CommandWindows {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #limits: WindowLimits;
  readonly #windows = new Map<string, Window>();
  readonly #company = new Company();

  constructor(clock: Pick<Clock, 'elapsed'>, limits: WindowLimits = windowLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Does what sends a command, when there is room for it. @throws Failure `overloaded`; what `send` throws */
  async within<T>(caller: string, send: () => Promise<T>): Promise<T> {
    const now = this.#clock.elapsed();
    this.#company.seen(caller, now);
    const window = this.#windows.get(caller) ?? { underWay: 0, waiting: [] };
    this.#windows.set(caller, window);
    if (window.waiting.length > 0 || !this.#hasRoom(caller, window)) {
      await new Promise<void>((go, refuse) => window.waiting.push({ since: now, go, refuse }));
    } else {
      window.underWay++;
    }
    try {
      return await send();
    } finally {
      window.underWay--;
      this.#goOn(caller, window);
    }
  }

  #hasRoom(caller: string, { underWay }: Window): boolean {
    const { alone, inCompany } = this.#limits;
    return underWay < (this.#company.has(caller, this.#clock.elapsed()) ? inCompany : alone);
  }

  /** Every command under way ends, and is the occasion to look at those that wait. */
  #goOn(caller: string, window: Window): void {
    const now = this.#clock.elapsed();
    while (window.waiting.length > 0 && this.#hasRoom(caller, window)) {
      const { since, go, refuse } = window.waiting.shift()!;
      if (now - since > this.#limits.waitMs) {
        refuse(tooMany());
        continue;
      }
      window.underWay++;
      go();
    }
    if (window.underWay === 0 && window.waiting.length === 0) this.#windows.delete(caller);
  }
}

const tooMany = (): Failure =>
  new Failure('overloaded', 'Too many changes of this caller are waiting. Try again with less at once.', {
    retryAfter: 1,
  });
