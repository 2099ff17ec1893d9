import type { Cancel, Clock } from '#actors/ports.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What lives and dies together. After its death nothing of it happens any more: no timer, no reply, no call. */
export class SimulatedProcess {
  readonly name: string;
  /** The node that it is a part of. */
  readonly node: string;
  readonly clock: Clock;
  /** Virtual time of its start, in ms. */
  readonly since: number;
  /** The same, leaps left out: as `time.passed()`. */
  readonly begun: number;
  #alive = true;
  readonly #deathWatch = new Set<() => void>();

  /** @param wall what its clock shows; it goes by virtual time, but can be set */
  constructor(names: { name: string; node: string }, time: VirtualTime, random: Random, wall: () => number) {
    this.name = names.name;
    this.node = names.node;
    this.since = time.now();
    this.begun = time.passed();
    const schedule: Clock['schedule'] = (delayMs, run) =>
      this.#alive ? time.after(delayMs, () => this.#alive && run()) : () => {};
    this.clock = {
      now: wall,
      elapsed: () => time.elapsed(),
      schedule,
      soon: (run) => schedule(random.int(3), run),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Calls `run` when the process dies. */
  onDeath(run: () => void): Cancel {
    this.#deathWatch.add(run);
    return () => this.#deathWatch.delete(run);
  }

  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const run of this.#deathWatch) run();
  }
}

/** Never settles: what a dead process waits for. */
export const never = <T>(): Promise<T> => new Promise<T>(() => {});
