import type { DeliveryRef, ScheduledDelivery } from '#actors/webhook-subscription/contract.ts';
import type { WindowEntry } from './window.ts';

/** The deliveries of one conversation or channel to one subscription: one at a time, in the order of the feed. */
export interface Lane {
  readonly key: number;
  /** Entries of the window that wait for their turn. */
  waiting: WindowEntry[];
  /** A call is under way. */
  busy: boolean;
  /** Its oldest scheduled delivery, as the store told last. */
  head: ScheduledDelivery | null;
  /** Failures, deferrals and outcomes of scheduled deliveries that are not recorded: until then the head is not known. */
  unsettled: number;
  /** Something of it was recorded since the heads were read: what the head is now is not known. */
  stale: boolean;
  /** It stands in the queue of lanes that can go on. */
  queued: boolean;
}

/** One delivery to be tried now. `entry` is null for a scheduled one. */
export interface Turn {
  lane: Lane;
  ref: DeliveryRef;
  entry: WindowEntry | null;
}

/** What lanes a subscription has something to do in, and which of them can go on. */
export class LaneTable {
  readonly #lanes = new Map<number, Lane>();
  readonly #turns: Lane[] = [];
  readonly #headed = new Set<Lane>();
  readonly #stale = new Set<Lane>();

  /** Takes in an entry of the window. False: it belongs behind a scheduled delivery, and has to be deferred. */
  add(entry: WindowEntry): boolean {
    const lane = this.#lane(entry.lane);
    if (isBlocked(lane)) return false;
    lane.waiting.push(entry);
    this.#offer(lane);
    return true;
  }

  /** The lane's next delivery is not known before `settle`. @returns what waited, to be deferred */
  hold(lane: Lane): WindowEntry[] {
    lane.unsettled++;
    return lane.waiting.splice(0);
  }

  holdFor(entry: WindowEntry): WindowEntry[] {
    return this.hold(this.#lane(entry.lane));
  }

  /** What `hold` was for is recorded; the heads have to be read again after it. */
  settle(key: number): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.unsettled--;
    lane.stale = true;
    this.#stale.add(lane);
  }

  /** Takes over the heads of all lanes as they are in the store. @returns what waited in lanes that are blocked now */
  setHeads(heads: readonly ScheduledDelivery[]): WindowEntry[] {
    const before = [...this.#headed, ...this.#stale];
    const blocked: WindowEntry[] = [];
    for (const lane of before) {
      lane.head = null;
      lane.stale = false;
    }
    this.#headed.clear();
    this.#stale.clear();
    for (const head of heads) {
      const lane = this.#lane(head.lane);
      lane.head = head;
      this.#headed.add(lane);
      for (const entry of lane.waiting.splice(0)) blocked.push(entry);
      this.#offer(lane);
    }
    for (const lane of before) this.#offer(lane);
    return blocked;
  }

  /** Lanes with a scheduled delivery. */
  get blocked(): number {
    return this.#headed.size;
  }

  /** Whether a lane could go on now. */
  get canGoOn(): boolean {
    return this.#turns.length > 0;
  }

  /** The next delivery to be tried; its lane is busy until `ended`. */
  next(): Turn | null {
    for (;;) {
      const lane = this.#turns.shift();
      if (lane === undefined) return null;
      lane.queued = false;
      if (!isReady(lane)) continue;
      lane.busy = true;
      if (lane.head !== null) return { lane, ref: lane.head, entry: null };
      const entry = lane.waiting.shift()!;
      return { lane, ref: entry, entry };
    }
  }

  /**
   * One delivery to learn with whether the endpoint is back: a due one, else one of an unblocked lane, else any that
   * backs off; each time another one, so that a single one is not tried to death.
   */
  probe(after: number): Turn | null {
    const free = [...this.#lanes.values()].filter(isKnown);
    const headed = free.filter((lane) => lane.head !== null).sort((a, b) => a.head!.feedKey - b.head!.feedKey);
    const due = headed.filter((lane) => lane.head!.ready);
    const unblocked = free.find((lane) => lane.head === null && lane.waiting.length > 0);
    const choice = roundRobin(due, after) ?? unblocked ?? roundRobin(headed, after);
    if (choice === undefined) return null;
    choice.busy = true;
    const entry = choice.head === null ? choice.waiting.shift()! : null;
    return { lane: choice, ref: entry ?? choice.head!, entry };
  }

  ended(lane: Lane): void {
    lane.busy = false;
    this.#offer(lane);
  }

  #lane(key: number): Lane {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, waiting: [], busy: false, head: null, unsettled: 0, stale: false, queued: false };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #offer(lane: Lane): void {
    if (lane.queued) return;
    if (isReady(lane)) {
      lane.queued = true;
      this.#turns.push(lane);
    } else if (!lane.busy && !isBlocked(lane)) {
      this.#lanes.delete(lane.key);
    }
  }
}

/** What comes for the lane belongs behind what is scheduled, or may be. */
export const isBlocked = (lane: Lane): boolean => lane.head !== null || lane.unsettled > 0 || lane.stale;

const isKnown = (lane: Lane): boolean => !lane.busy && lane.unsettled === 0 && !lane.stale;

const isReady = (lane: Lane): boolean =>
  isKnown(lane) && (lane.head === null ? lane.waiting.length > 0 : lane.head.ready);

const roundRobin = (lanes: readonly Lane[], after: number): Lane | undefined =>
  lanes.find((lane) => lane.head!.feedKey > after) ?? lanes[0];
