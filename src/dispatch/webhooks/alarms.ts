import type { Cancel, Clock } from '#actors/ports.ts';

/** Alarms by name, each at most once. */
export class Alarms {
  readonly #clock: Pick<Clock, 'schedule'>;
  readonly #waiting = new Map<string, Cancel>();

  constructor(clock: Pick<Clock, 'schedule'>) {
    this.#clock = clock;
  }

  /** Runs something after `delay` ms, unless the name waits already. */
  later(name: string, delay: number, run: () => void): void {
    if (this.#waiting.has(name)) return;
    const cancel = this.#clock.schedule(delay, () => {
      this.#waiting.delete(name);
      run();
    });
    this.#waiting.set(name, cancel);
  }

  cancelAll(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }
}
