import type { Environment } from './environment.ts';

const firstWait = 1_000;
const longestWait = 30_000;

/** The wait before something is tried again: left to chance, so that many do not come at once, and longer each time. */
export class Backoff {
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  #failures = 0;
  #notBefore = 0;
  #waiting: { run: () => void; cancel: () => void } | null = null;

  constructor(environment: Pick<Environment, 'clock' | 'random'>) {
    this.#environment = environment;
  }

  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  /**
   * Runs later; in the place of what waited so far.
   * @param atLeast ms that the hub asks to wait, whatever happens meanwhile
   * @param bound ms beyond it, at most
   */
  again(run: () => void, atLeast = 0, bound = Math.min(longestWait, firstWait * 2 ** this.#failures++)): void {
    const { clock, random } = this.#environment;
    this.cancel();
    this.#notBefore = clock.now() + atLeast;
    this.#waiting = { run, cancel: clock.schedule(atLeast + bound * random(), () => this.#runNow()) };
  }

  /** What waits runs now, unless the hub asks to wait. */
  hurry(): void {
    if (this.#environment.clock.now() >= this.#notBefore) this.#runNow();
  }

  #runNow(): void {
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
