import type { Clock } from '../ports.ts';

/**
 * The time of a shard's own: it goes on as time really passes, whatever the wall clock says, and is stored with the
 * shard. What passed while the hub was down is made up for at the same pace again, so that a wall clock that was
 * wrong for a minute makes nothing older than another minute.
 */
export class OwnTime {
  #at: number;
  #ticked: number;

  /** @param at where it stood last, in ms */
  constructor(at: number, clock: Pick<Clock, 'elapsed'>) {
    this.#at = at;
    this.#ticked = clock.elapsed();
  }

  /** @returns where it stands now, in ms */
  tick(clock: Pick<Clock, 'now' | 'elapsed'>): number {
    const elapsed = clock.elapsed();
    const passed = Math.max(0, elapsed - this.#ticked);
    this.#ticked = elapsed;
    this.#at += passed;
    const behind = clock.now() - this.#at;
    if (behind > 0) this.#at += Math.min(behind, passed);
    return Math.floor(this.#at);
  }
}
