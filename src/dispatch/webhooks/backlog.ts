import type { Clock } from '#actors/ports.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type { SubscriptionWork, WebhookDeliveryReader } from '#actors/webhook-subscription/contract.ts';
import { isBlocked, LaneTable, type Turn } from './lane-table.ts';
import { FeedWindow, type WindowEntry, windowSize } from './window.ts';

export interface BacklogOptions {
  clock: Pick<Clock, 'now'>;
  reader: WebhookDeliveryReader;
  /** Has an event recorded as one behind a scheduled delivery of its lane. */
  defer(entry: WindowEntry): void;
}

/** Events that are looked at for one to probe a failing endpoint with. */
const probeWindow = 64;
/** With more blocked lanes, their heads are read again only this often, in ms. */
const manyBlocked = 256;
const headsEvery = 100;

/** What is to be sent to one subscription, as far as it is known: its scheduled deliveries and the feed behind them. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #work: Pick<SubscriptionWork, 'key' | 'types'>;
  readonly #window: FeedWindow;
  readonly #lanes = new LaneTable();
  #deferring: boolean;
  #headsDue = true;
  #headsAt = 0;
  #dry = false;

  /** @param deferring false for a failing endpoint: nothing is written for what it has not got yet */
  constructor(work: SubscriptionWork, deferring: boolean, options: BacklogOptions) {
    this.#options = options;
    this.#work = work;
    this.#window = new FeedWindow(work.cursor, work.ahead);
    this.#deferring = deferring;
  }

  /** Events that were read and are not accounted for. */
  get open(): number {
    return this.#window.open;
  }

  /** Whether the window can take nothing more. */
  get full(): boolean {
    return this.#window.room === 0;
  }

  /** Where reading stands in the feed. */
  get end(): FeedPosition {
    return this.#window.end;
  }

  /** Whether the feed was read to its end, and all of it is accounted for. */
  get caughtUp(): boolean {
    return this.#dry && this.#window.open === 0;
  }

  /** Lanes with a scheduled delivery. */
  get blocked(): number {
    return this.#lanes.blocked;
  }

  get canGoOn(): boolean {
    return this.#lanes.canGoOn;
  }

  /** The feed may go on behind what was read. */
  feedGrew(): void {
    this.#dry = false;
  }

  /** The scheduled deliveries, and the feed, may have changed. */
  changed(): void {
    this.#headsDue = true;
    this.#dry = false;
  }

  /** It will be thrown away as soon as all is recorded: nothing is deferred any more. */
  close(): void {
    this.#deferring = false;
  }

  /** Ms until the heads of many blocked lanes may be read again; 0: nothing waits for that. */
  get headsWait(): number {
    if (!this.#headsDue || this.#lanes.blocked <= manyBlocked) return 0;
    return Math.max(0, this.#headsAt + headsEvery - this.#options.clock.now());
  }

  /** Reads on, as far as the window allows and lanes have need of it. */
  read(): void {
    this.#readHeads();
    while (!this.#dry && !this.full) {
      if (this.#lanes.canGoOn && this.#window.room < windowSize / 2) return;
      this.#readFeed(this.#window.room);
    }
  }

  next(): Turn | null {
    return this.#lanes.next();
  }

  /** The one delivery to probe a failing endpoint with. `after`: the feed key of the probe before. */
  probe(after: number): Turn | null {
    this.#readHeads();
    if (this.#window.open === 0 && !this.#dry) this.#readFeed(probeWindow);
    return this.#lanes.probe(after);
  }

  /** Whether the lane of a turn has to wait until the outcome is recorded, and its head is known again. */
  holds({ lane, entry }: Turn, delivered: boolean): boolean {
    return entry === null || !delivered || isBlocked(lane);
  }

  /** Makes the lane of a turn wait. */
  hold({ lane }: Turn): void {
    this.#defer(this.#lanes.hold(lane));
  }

  ended({ lane }: Turn): void {
    this.#lanes.ended(lane);
  }

  /** Of a full window, puts aside what is open since a time (epoch ms): slow lanes must not hold the others up. */
  putAside(since: number): void {
    if (this.full) this.#defer(this.#window.openSince(since));
  }

  /** Marks entries as accounted for and says how far that goes. */
  account(entries: readonly WindowEntry[]): { cursor: FeedPosition; ahead: number[] } {
    for (const entry of entries) this.#window.account(entry);
    return this.#window.progress();
  }

  /** What held these lanes is recorded. */
  settle(lanes: readonly number[]): void {
    for (const lane of lanes) this.#lanes.settle(lane);
    if (lanes.length > 0) this.#headsDue = true;
  }

  #readHeads(): void {
    if (!this.#headsDue || this.headsWait > 0) return;
    this.#headsDue = false;
    this.#headsAt = this.#options.clock.now();
    this.#defer(this.#lanes.setHeads(this.#options.reader.heads(this.#work.key)));
  }

  #readFeed(limit: number): void {
    const { reader, clock } = this.#options;
    const { items, end } = reader.read(this.#window.end, this.#work.types, limit);
    this.#dry = end.join() === this.#window.end.join();
    for (const entry of this.#window.add(items, end, this.#dry, clock.now())) {
      if (!this.#lanes.add(entry)) this.#defer([entry]);
    }
  }

  /** Puts entries, and what waits behind them in their lanes, behind the scheduled deliveries of the lanes. */
  #defer(entries: readonly WindowEntry[]): void {
    if (!this.#deferring) return;
    const all = [...entries];
    for (const entry of all) {
      if (entry.decided) continue;
      this.#options.defer(entry);
      all.push(...this.#lanes.holdFor(entry));
    }
  }
}
