import type { Clock } from '#actors/ports.ts';

/** Lets one waiter go on in each pass of the event loop, first come first served, so that many readers stay polite. */
export class Passes {
  readonly #clock: Pick<Clock, 'soon'>;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Pick<Clock, 'soon'>) {
    this.#clock = clock;
  }

  /** Resolves in a later pass, alone in it. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#clock.soon(this.#run);
    });
  }

  #run = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#clock.soon(this.#run);
  };
}
