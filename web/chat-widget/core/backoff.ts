import type { Environment } from './environment.ts';

const firstWait = 500;
const longestWait = 30_000;

/** The wait before something is tried again: longer each time, with half of it left to chance. */
export class Backoff {
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  #failures = 0;
  #waiting: { run: () => void; cancel: () => void } | null = null;

  constructor(environment: Pick<Environment, 'clock' | 'random'>) {
    this.#environment = environment;
  }

  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Runs later; in the place of what waited so far. @param atLeast ms */
  again(run: () => void, atLeast = 0): void {
    this.cancel();
    const full = Math.min(longestWait, firstWait * 2 ** this.#failures++);
    const wait = Math.max(atLeast, full * (0.5 + this.#environment.random() / 2));
    this.#waiting = { run, cancel: this.#environment.clock.schedule(wait, () => this.hurry()) };
  }

  /** What waits runs now. */
  hurry(): void {
    const run = this.#waiting?.run;
    this.cancel();
    run?.();
  }

  /** It worked: the next wait is short again. */
  reset(): void {
    this.#failures = 0;
  }

  cancel(): void {
    this.#waiting?.cancel();
    this.#waiting = null;
  }
}
