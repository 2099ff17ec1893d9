import type { Clock } from '../ports.ts';
import type { HostStore } from '../store/host-store.ts';
import { keysPerShard, shardOfKey } from '../store/table.ts';
import type { TimerRow } from '../store/tables.ts';

export interface MovedTimersOptions {
  store: Pick<HostStore, 'timersBetween'>;
  clock: Pick<Clock, 'now' | 'elapsed'>;
  /** For each owned shard the key that its next row gets. */
  nextKeys(): ReadonlyMap<number, number>;
}

/** A wall clock that is put right by less, in ms, is not said to be set back. */
const tolerated = 1_000;

/**
 * Timers that wait while the wall clock is set back: they fire after the time that they were set for, as if their due
 * times had been set back too. Known until a restart; what is set afterwards goes by the new time.
 */
export class MovedTimers {
  readonly #options: MovedTimersOptions;
  /** How far the wall clock is ahead of one that nobody sets, in ms. */
  #ahead: number;
  /** Rows below these keys were there at the last look. */
  #known: ReadonlyMap<number, number> = new Map();
  /** With their new due times, earliest first. */
  #moved: TimerRow[] = [];

  constructor(options: MovedTimersOptions) {
    this.#options = options;
    this.#ahead = this.#aheadNow();
  }

  /** Called after each commit and before timers are fired: what is new since the last look is not moved. */
  look(): void {
    const ahead = this.#aheadNow();
    const by = this.#ahead - ahead;
    if (by > tolerated) this.#move(by);
    if (by > tolerated || by < 0) this.#ahead = ahead;
    this.#known = this.#options.nextKeys();
    // A shard that was given away has its timers fired by who has it now.
    if (this.#moved.length > 0) this.#moved = this.#moved.filter(({ key }) => this.#known.has(shardOfKey(key)));
  }

  /** When the first of them is due (epoch ms), null without one. */
  get next(): number | null {
    return this.#moved[0]?.due ?? null;
  }

  /** Those that are due. Some may have been cancelled or set anew. */
  due(now: number): TimerRow[] {
    const waiting = this.#moved.findIndex(({ due }) => due > now);
    return waiting < 0 ? this.#moved : this.#moved.slice(0, waiting);
  }

  /** Forgets timers by their keys: they need no new due time any more. */
  forget(keys: ReadonlySet<number>): void {
    if (this.#moved.length > 0) this.#moved = this.#moved.filter(({ key }) => !keys.has(key));
  }

  #aheadNow(): number {
    const { clock } = this.#options;
    return clock.now() - clock.elapsed();
  }

  #move(by: number): void {
    const before = new Map(this.#moved.map(({ key, due }) => [key, due]));
    const rows = [...this.#known].flatMap(([shard, next]) =>
      this.#options.store.timersBetween(shard * keysPerShard, shard * keysPerShard + next),
    );
    this.#moved = rows
      .map((row) => ({ ...row, due: (before.get(row.key) ?? row.due) - by }))
      .sort((a, b) => a.due - b.due);
  }
}
