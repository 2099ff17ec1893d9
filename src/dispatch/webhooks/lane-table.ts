import type { DeliveryRef, ScheduledDelivery } from '#actors/webhook-subscription/contract.ts';
import type { WindowEntry } from './window.ts';

/** The deliveries of one conversation or channel to one subscription: one at a time, in the order of the feed. */
export interface Lane {
  readonly key: number;
  /** Open entries of the window, oldest first. */
  waiting: WindowEntry[];
  /** An attempt is under way. */
  busy: boolean;
  /** Its oldest scheduled delivery, as it was when the heads were read. */
  head: ScheduledDelivery | null;
  /** Failures, deferrals and attempts of scheduled deliveries that are not recorded: they decide what the head is. */
  unrecorded: number;
  /** Some of those were recorded after the heads were read. */
  headOutdated: boolean;
  /** It stands in the queue of ready lanes. */
  queued: boolean;
}

/** A delivery to be attempted now. `entry` is null for a scheduled one. */
export interface LaneDelivery {
  lane: Lane;
  ref: DeliveryRef;
  entry: WindowEntry | null;
}

/** The lanes in which a subscription has something to do, and which of them are ready for an attempt. */
export class LaneTable {
  readonly #lanes = new Map<number, Lane>();
  readonly #ready: Lane[] = [];
  readonly #headed = new Set<Lane>();
  readonly #outdated = new Set<Lane>();
  #busy = 0;

  /** Takes in an entry of the window. False: its lane is blocked, the entry has to be deferred. */
  add(entry: WindowEntry): boolean {
    const lane = this.#lane(entry.lane);
    if (isBlocked(lane)) return false;
    lane.waiting.push(entry);
    this.#queue(lane);
    return true;
  }

  /** Blocks a lane until `recorded`. @returns the entries that waited in it, which have to be deferred */
  block(lane: Lane): WindowEntry[] {
    lane.unrecorded++;
    return lane.waiting.splice(0);
  }

  blockLaneOf(entry: WindowEntry): WindowEntry[] {
    return this.block(this.#lane(entry.lane));
  }

  /** What a lane was blocked for is recorded; it goes on when the heads have been read again. */
  recorded(key: number): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.unrecorded--;
    lane.headOutdated = true;
    this.#outdated.add(lane);
  }

  /** Takes over the heads of all lanes. @returns the entries that waited in lanes with a head, to be deferred */
  setHeads(heads: readonly ScheduledDelivery[]): WindowEntry[] {
    const before = [...this.#headed, ...this.#outdated];
    const displaced: WindowEntry[] = [];
    for (const lane of before) {
      lane.head = null;
      lane.headOutdated = false;
    }
    this.#headed.clear();
    this.#outdated.clear();
    for (const head of heads) {
      const lane = this.#lane(head.lane);
      lane.head = head;
      this.#headed.add(lane);
      for (const entry of lane.waiting.splice(0)) displaced.push(entry);
      this.#queue(lane);
    }
    for (const lane of before) this.#queue(lane);
    return displaced;
  }

  /** Lanes with a scheduled delivery. */
  get headed(): number {
    return this.#headed.size;
  }

  /** Attempts under way. */
  get busy(): number {
    return this.#busy;
  }

  /** Whether `next` may have something. */
  get hasNext(): boolean {
    return this.#ready.length > 0;
  }

  /** The next delivery to be attempted; its lane is busy until `ended`. */
  next(): LaneDelivery | null {
    for (;;) {
      const lane = this.#ready.shift();
      if (lane === undefined) return null;
      lane.queued = false;
      if (isReady(lane)) return this.#begin(lane);
    }
  }

  /**
   * One delivery that tells whether a failing endpoint is back: a due one, else one of an unblocked lane, else any that
   * backs off; each time another one, so that a single one is not tried to death.
   * @param after feed key of the probe before
   */
  probe(after: number): LaneDelivery | null {
    const free = [...this.#lanes.values()].filter(isFree);
    const headed = free.filter((lane) => lane.head !== null).sort((a, b) => a.head!.feedKey - b.head!.feedKey);
    const due = headed.filter((lane) => lane.head!.ready);
    const unblocked = free.find((lane) => lane.head === null && lane.waiting.length > 0);
    const choice = roundRobin(due, after) ?? unblocked ?? roundRobin(headed, after);
    return choice === undefined ? null : this.#begin(choice);
  }

  /** The attempt is over. */
  ended(lane: Lane): void {
    lane.busy = false;
    this.#busy--;
    this.#queue(lane);
  }

  #begin(lane: Lane): LaneDelivery {
    lane.busy = true;
    this.#busy++;
    if (lane.head !== null) return { lane, ref: lane.head, entry: null };
    const entry = lane.waiting.shift()!;
    return { lane, ref: entry, entry };
  }

  #lane(key: number): Lane {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, waiting: [], busy: false, head: null, unrecorded: 0, headOutdated: false, queued: false };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Queues a lane that is ready, forgets one that has nothing to do. */
  #queue(lane: Lane): void {
    if (lane.queued) return;
    if (isReady(lane)) {
      lane.queued = true;
      this.#ready.push(lane);
    } else if (!lane.busy && !isBlocked(lane)) {
      this.#lanes.delete(lane.key);
    }
  }
}

/** It has a scheduled delivery, or may have one: what comes for it belongs behind that. */
export const isBlocked = (lane: Lane): boolean => lane.head !== null || lane.unrecorded > 0 || lane.headOutdated;

const isFree = (lane: Lane): boolean => !lane.busy && lane.unrecorded === 0 && !lane.headOutdated;

const isReady = (lane: Lane): boolean =>
  isFree(lane) && (lane.head === null ? lane.waiting.length > 0 : lane.head.ready);

const roundRobin = (lanes: readonly Lane[], after: number): Lane | undefined =>
  lanes.find((lane) => lane.head!.feedKey > after) ?? lanes[0];
