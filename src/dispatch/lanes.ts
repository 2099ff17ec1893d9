import type { Cancel, Clock } from '#actors/ports.ts';
import type { OutboxReader } from '#actors/store/outbox-reader.ts';
import type { OutboxRow } from '#actors/store/tables.ts';

/** An effect of the outbox. */
export type EffectRow = OutboxRow;

/** What doing an effect came to: it is done, or its lane goes on at a time (epoch ms). */
export type Performed = { done: true } | { done: false; retryAt: number };

export interface LaneOptions {
  outbox: OutboxReader;
  shards: number;
  /** Whether the effects of a shard are to be done here; `wake` asks. */
  owns(shard: number): boolean;
  clock: Clock;
  /** Does one effect. */
  perform(effect: EffectRow): Promise<Performed>;
  /** The outbox could not be read, or an effect not be done: it is tried again. */
  failed(error: unknown): void;
  /** The group of an effect's lane: what shares a bound, such as an account of a source. */
  groupOf(effect: EffectRow): string;
  /** Effects of one group under way at once. */
  perGroup?: number;
}

interface Lane {
  id: number;
  shard: number;
  group: Group;
  /** Keys of effects, oldest first; the head stays until it is done, so that a retry never overtakes. None: forgotten. */
  keys: number[];
  position: 'idle' | 'queued' | 'running' | 'waiting';
  /** Ends the wait of a waiting lane. */
  cancelWait: Cancel;
}

interface Group {
  running: number;
  /** Lanes with something to do, in the order in which they came. */
  queued: Lane[];
}

const defaultPerGroup = 32;
const pageSize = 1_000;
/** Wait after an effect that could not be read or done, in ms. */
const afterFailure = 1_000;
/** A waiting lane looks again after this long, in ms: it may wait for a time of a wall clock that was set back. */
const longestWait = 30_000;

/**
 * Takes effects from the outbox, lane by lane: one at a time in a lane, in the order of their keys; lanes side by side,
 * bounded by group, so that a slow source takes no other source's place. The outbox is the truth: what is here is only
 * which keys were seen.
 */
export class Lanes {
  readonly #options: LaneOptions;
  readonly #lanes = new Map<number, Lane>();
  readonly #groups = new Map<string, Group>();
  /** The highest key seen in each shard: later effects have higher ones. */
  readonly #seen: number[];
  #stopped = false;
  readonly #idle: (() => void)[] = [];
  #running = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#seen = Array.from({ length: options.shards }, () => -1);
  }

  /**
   * Looks for new effects. Called at the start, whenever the outbox may have grown or the shards are others, and now and
   * then besides. Never throws.
   */
  wake(): void {
    if (this.#stopped) return;
    for (let shard = 0; shard < this.#options.shards; shard++) {
      try {
        if (this.#options.owns(shard)) this.#look(shard);
        else this.#forget(shard);
      } catch (error) {
        this.#options.failed(error);
      }
    }
  }

  /** Has the lanes of a group that wait look again now: what they waited for may be there. */
  lookAgain(name: string): void {
    for (const lane of this.#lanes.values()) {
      if (lane.position !== 'waiting' || lane.group !== this.#groups.get(name)) continue;
      lane.cancelWait();
      this.#queue(lane);
    }
  }

  /** Effects known and not done. */
  get backlog(): number {
    let backlog = 0;
    for (const lane of this.#lanes.values()) backlog += lane.keys.length;
    return backlog;
  }

  /** Starts nothing more and resolves when what runs has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #look(shard: number): void {
    for (;;) {
      const rows = this.#options.outbox.after(shard, this.#seen[shard]!, pageSize);
      for (const row of rows) this.#add(shard, row);
      const last = rows.at(-1);
      if (last === undefined) return;
      this.#seen[shard] = last.key;
      if (rows.length < pageSize) return;
    }
  }

  /** What runs goes on to its end, and keeps its lane until then; everything else is the next owner's. */
  #forget(shard: number): void {
    if (this.#seen[shard]! < 0) return;
    this.#seen[shard] = -1;
    for (const lane of this.#lanes.values()) {
      if (lane.shard !== shard) continue;
      const kept = lane.position === 'running' ? 1 : 0;
      lane.keys = lane.keys.slice(0, kept);
      if (kept === 0) this.#lanes.delete(lane.id);
    }
  }

  #add(shard: number, row: EffectRow): void {
    let lane = this.#lanes.get(row.lane);
    if (lane === undefined) {
      const group = this.#group(this.#options.groupOf(row));
      lane = { id: row.lane, shard, group, keys: [], position: 'idle', cancelWait: () => {} };
      this.#lanes.set(row.lane, lane);
    }
    // It is running yet from the time before its shard was given away, and taken again.
    if (lane.keys[0] === row.key) return;
    lane.keys.push(row.key);
    if (lane.position === 'idle') this.#queue(lane);
  }

  #group(name: string): Group {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { running: 0, queued: [] };
      this.#groups.set(name, group);
    }
    return group;
  }

  #queue(lane: Lane): void {
    lane.position = 'queued';
    lane.group.queued.push(lane);
    this.#pump(lane.group);
  }

  #pump(group: Group): void {
    const bound = this.#options.perGroup ?? defaultPerGroup;
    while (!this.#stopped && group.running < bound) {
      const lane = group.queued.shift();
      if (lane === undefined) return;
      if (lane.keys.length > 0) void this.#run(lane);
    }
  }

  async #run(lane: Lane): Promise<void> {
    lane.position = 'running';
    lane.group.running++;
    this.#running++;
    const performed = await this.#perform(lane.keys[0]!);
    lane.group.running--;
    this.#running--;
    this.#goOn(lane, performed);
    this.#pump(lane.group);
    if (this.#stopped && this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #perform(key: number): Promise<Performed> {
    const { outbox, perform, failed, clock } = this.#options;
    try {
      const effect = outbox.find(key);
      // An effect that is gone was done by the command that took it out.
      return effect === null ? { done: true } : await perform(effect);
    } catch (error) {
      failed(error);
      return { done: false, retryAt: clock.now() + afterFailure };
    }
  }

  #goOn(lane: Lane, performed: Performed): void {
    const isOwned = this.#options.owns(lane.shard);
    if (!performed.done && isOwned) {
      this.#wait(lane, performed.retryAt);
      return;
    }
    lane.keys.shift();
    if (lane.keys.length > 0 && isOwned) this.#queue(lane);
    else this.#lanes.delete(lane.id);
  }

  #wait(lane: Lane, until: number): void {
    lane.position = 'waiting';
    const delay = Math.min(Math.max(0, until - this.#options.clock.now()), longestWait);
    lane.cancelWait = this.#options.clock.schedule(delay, () => {
      if (!this.#stopped && lane.keys.length > 0) this.#queue(lane);
    });
  }
}
