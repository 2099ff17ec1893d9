import type { Cancel } from '#actors/ports.ts';
import { growing, type Growing, grownIn } from '#actors/runtime/signal.ts';

/** Tells those who wait for something that it grew. Signals may get lost: whoever waits also looks from time to time. */
export class Growth {
  readonly #listeners = new Map<Growing, Set<() => void>>(growing.map((what) => [what, new Set()]));

  /** Calls `run` after every signal that names `what`. One that waits for several things is called once for a signal. */
  on(what: Growing, run: () => void): Cancel {
    const listeners = this.#listeners.get(what)!;
    listeners.add(run);
    return () => listeners.delete(run);
  }

  /** @param signal the body of a signal; by default one that names everything */
  signalled(signal: Uint8Array = new Uint8Array(0)): void {
    const concerned = new Set(grownIn(signal).flatMap((what) => [...this.#listeners.get(what)!]));
    for (const run of concerned) run();
  }
}
