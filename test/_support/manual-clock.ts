import type { Cancel, Clock } from '#actors/ports.ts';
import { systemClock } from '#src/runtime/system.ts';

/** A clock that moves only when it is told to; timers run in the order of their due times. */
export class ManualClock implements Clock {
  #now: number;
  #elapsed = 0;
  #next = 1;
  readonly #timers = new Map<number, { due: number; run: () => void }>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  schedule(delayMs: number, run: () => void): Cancel {
    const id = this.#next++;
    this.#timers.set(id, { due: this.#elapsed + delayMs, run });
    return () => this.#timers.delete(id);
  }

  /** As in production: what follows a call soon does not wait for time to be told. */
  soon(run: () => void): Cancel {
    return systemClock.soon(run);
  }

  /** Somebody sets the clock: no time passes. */
  set(ms: number): void {
    this.#now += ms;
  }

  /** When the next timer is due, as `elapsed` counts; null without one. */
  nextDue(): number | null {
    let due: number | null = null;
    for (const timer of this.#timers.values()) due = due === null ? timer.due : Math.min(due, timer.due);
    return due;
  }

  /** Moves on by `ms`, running every timer that comes due on the way. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    for (;;) {
      let first: [number, { due: number; run: () => void }] | null = null;
      for (const entry of this.#timers) {
        if (entry[1].due <= until && (first === null || entry[1].due < first[1].due)) first = entry;
      }
      if (first === null) break;
      this.#timers.delete(first[0]);
      this.#move(first[1].due);
      first[1].run();
    }
    this.#move(until);
  }

  #move(to: number): void {
    const by = Math.max(0, to - this.#elapsed);
    this.#elapsed += by;
    this.#now += by;
  }
}
