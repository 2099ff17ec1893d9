import type { Logger } from './ports.ts';

/** One part that does not work now, and why. */
export interface PartProblem {
  part: string;
  problem: string;
}

/** What does not work now, part by part. However often a part fails, its trouble is logged once, and its end. */
export class Problems {
  readonly #logger: Pick<Logger, 'info' | 'error'>;
  readonly #open = new Map<string, string>();

  constructor(logger: Pick<Logger, 'info' | 'error'>) {
    this.#logger = logger;
  }

  /** The part does not work, or still does not. */
  began(part: string, problem: string): void {
    if (!this.#open.has(part)) this.#logger.error({ part, reason: problem }, 'problem.began');
    this.#open.set(part, problem);
  }

  /** The part works. */
  ended(part: string): void {
    if (this.#open.delete(part)) this.#logger.info({ part }, 'problem.ended');
  }

  /** Empty: everything works. */
  list(): PartProblem[] {
    return [...this.#open].map(([part, problem]) => ({ part, problem }));
  }
}
