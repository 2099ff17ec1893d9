import type { Clock } from '#actors/ports.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type { SubscriptionWork, WebhookDeliveryReader } from '#actors/webhook-subscription/contract.ts';
import { isBlocked, type Lane, type LaneDelivery, LaneTable } from './lane-table.ts';
import type { Recorded } from './recorder.ts';
import { FeedWindow, type WindowEntry, windowSize } from './window.ts';

export interface BacklogOptions {
  clock: Pick<Clock, 'now'>;
  reader: WebhookDeliveryReader;
  /**
   * Has an event recorded as one behind a scheduled delivery of its lane. Null for a failing endpoint: nothing is written
   * for what it has not got yet.
   */
  defer: ((entry: WindowEntry) => void) | null;
}

/** Events that are looked at for one to probe a failing endpoint with. */
const probeWindow = 64;
/** With more lanes that have a head, the heads are read again only this often, in ms. */
const manyHeads = 256;
const headsEvery = 100;

/** What is to be sent to one subscription, as far as it is known: its scheduled deliveries and the feed behind them. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #work: Pick<SubscriptionWork, 'key' | 'types'>;
  readonly #window: FeedWindow;
  readonly #lanes = new LaneTable();
  #closed = false;
  #headsDue = true;
  #headsReadAt = 0;
  /** The last read found the end of the feed. */
  #atEnd = false;

  constructor(work: SubscriptionWork, options: BacklogOptions) {
    this.#options = options;
    this.#work = work;
    this.#window = new FeedWindow(work.cursor, work.ahead);
  }

  /** Events that were read and are not recorded. */
  get unrecorded(): number {
    return this.#window.unrecorded;
  }

  /** Whether the window can take nothing more. */
  get full(): boolean {
    return this.#window.room === 0;
  }

  /** Where reading stands in the feed. */
  get end(): FeedPosition {
    return this.#window.end;
  }

  /** Attempts under way. */
  get busy(): number {
    return this.#lanes.busy;
  }

  /** Whether the feed was read to its end, all of it is recorded, and no attempt is under way. Not known once closed. */
  get caughtUp(): boolean {
    return !this.#closed && this.#atEnd && this.#window.unrecorded === 0 && this.#lanes.busy === 0;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Lanes with a scheduled delivery. */
  get headed(): number {
    return this.#lanes.headed;
  }

  /** Whether `next` may have something. */
  get hasNext(): boolean {
    return this.#lanes.hasNext;
  }

  /** Ms until the many heads that there are may be read again; 0: nothing waits for that. */
  get headsWait(): number {
    if (!this.#headsDue || this.#lanes.headed <= manyHeads) return 0;
    return Math.max(0, this.#headsReadAt + headsEvery - this.#options.clock.now());
  }

  /** The feed may have grown. */
  feedGrew(): void {
    this.#atEnd = false;
  }

  /** Whatever is stored may have changed. */
  changed(): void {
    this.#headsDue = true;
    this.#atEnd = false;
  }

  /** What it knows is no longer true. It is thrown away as soon as all is recorded, and defers nothing any more. */
  close(): void {
    this.#closed = true;
  }

  /** Reads on, as far as the window allows and lanes have need of it. */
  read(): void {
    this.#readHeads();
    while (!this.#atEnd && !this.full) {
      if (this.#lanes.hasNext && this.#window.room < windowSize / 2) return;
      this.#readFeed(this.#window.room);
    }
  }

  /** The next delivery to be attempted; its lane is busy until `ended`. */
  next(): LaneDelivery | null {
    return this.#lanes.next();
  }

  /** The one delivery to probe a failing endpoint with. `after`: the feed key of the probe before. */
  probe(after: number): LaneDelivery | null {
    this.#readHeads();
    if (this.#window.unrecorded === 0 && !this.#atEnd) this.#readFeed(probeWindow);
    return this.#lanes.probe(after);
  }

  /** Feed keys of an entry and of those that will be attempted after it, at most `limit`. */
  keysFrom(entry: WindowEntry, limit: number): number[] {
    return this.#window.keysFrom(entry, limit);
  }

  /** Whether the lane of an attempt has to wait until the outcome is recorded, and its head is known again. */
  blocks({ lane, entry }: LaneDelivery, delivered: boolean): boolean {
    return entry === null || !delivered || isBlocked(lane);
  }

  /** Blocks a lane until an outcome is recorded. */
  block(lane: Lane): void {
    this.#deferAll(this.#lanes.block(lane));
  }

  /** An attempt in the lane is over. */
  ended(lane: Lane): void {
    this.#lanes.ended(lane);
  }

  /** Defers, of a full window, what is open since a time (epoch ms): slow lanes must not hold the others up. */
  deferSlow(since: number): void {
    if (this.full) this.#deferAll(this.#window.openSince(since));
  }

  /** Takes entries for recorded and says how far that goes. */
  progressWith(entries: readonly WindowEntry[]): { cursor: FeedPosition; ahead: number[] } {
    for (const entry of entries) this.#window.recorded(entry);
    return this.#window.progress();
  }

  /** What lanes were blocked for is stored. */
  recorded({ results, deferred }: Recorded): void {
    const blocking = results.filter(({ blocks }) => blocks).map(({ ref }) => ref);
    for (const { lane } of [...deferred, ...blocking]) {
      this.#lanes.recorded(lane);
      this.#headsDue = true;
    }
  }

  #readHeads(): void {
    if (!this.#headsDue || this.headsWait > 0) return;
    this.#headsDue = false;
    this.#headsReadAt = this.#options.clock.now();
    this.#deferAll(this.#lanes.setHeads(this.#options.reader.heads(this.#work.key)));
  }

  #readFeed(limit: number): void {
    const { reader, clock } = this.#options;
    const { items, end } = reader.read(this.#window.end, this.#work.types, limit);
    this.#atEnd = end.join() === this.#window.end.join();
    for (const entry of this.#window.add(items, end, this.#atEnd, clock.now())) {
      if (!this.#lanes.add(entry)) this.#deferAll([entry]);
    }
  }

  /** Puts entries, and what waits behind them in their lanes, behind the scheduled deliveries of the lanes. */
  #deferAll(entries: readonly WindowEntry[]): void {
    const { defer } = this.#options;
    if (this.#closed || defer === null) return;
    const all = [...entries];
    for (const entry of all) {
      if (entry.status !== 'open') continue;
      defer(entry);
      all.push(...this.#lanes.blockLaneOf(entry));
    }
  }
}
