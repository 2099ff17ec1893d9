import type { Cancel, Clock } from '#actors/ports.ts';
import type {
  AttemptRecord,
  DeliveryOutcome,
  DeliveryRef,
  SubscriptionState,
  WebhookSubscriptionCommands,
} from '#actors/webhook-subscription/contract.ts';
import type { WindowEntry } from './window.ts';

export type RecordBody = WebhookSubscriptionCommands['deliveries.record']['body'];

/** What came of one try, on its way into a record. */
export interface Result {
  /** Null: the event is no longer kept. */
  attempt: AttemptRecord | null;
  outcome: DeliveryOutcome;
  ref: DeliveryRef;
  /** Null for a scheduled delivery. */
  entry: WindowEntry | null;
  /** Its lane waits until it is recorded. */
  holds: boolean;
}

export interface RecorderOptions {
  clock: Clock;
  /** Stores a record, however long the bus or the host is away. */
  send(body: RecordBody): Promise<{ state: SubscriptionState }>;
  /** Marks what the record is about as accounted for and says how far that goes. */
  account(entries: WindowEntry[]): Omit<RecordBody, 'results' | 'deferred'>;
  /** After the commit: what it held. */
  recorded(results: Result[], deferred: WindowEntry[], state: SubscriptionState): void;
  /** The record can not be stored; its results are lost, and the store knows what to do again. */
  failed(error: unknown): void;
}

/** Results are collected this long, in ms, or until there are so many. */
const collectFor = 20;
const collectAtMost = 64;
/** Results of one record at most: answers of 1 KiB each must fit an envelope. */
const resultsOfRecord = 128;

/** Results that may wait to be recorded; a subscription with more makes no calls. */
export const unrecordedAtMost = 512;

/** Collects what tries came to and stores it, one record after the other. */
export class Recorder {
  readonly #options: RecorderOptions;
  #results: Result[] = [];
  #deferred = new Set<WindowEntry>();
  /** A record without results is wanted: only the cursor moves. */
  #touched = false;
  #sending = 0;
  #busy = false;
  #timer: Cancel | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Results that are not stored. */
  get unrecorded(): number {
    return this.#results.length + this.#sending;
  }

  /** Whether everything is stored. */
  get idle(): boolean {
    return !this.#busy && !this.#waits();
  }

  /** @returns whether it took the place of its own deferral, made while the try ran */
  add(result: Result): boolean {
    const replaced = result.entry !== null && this.#deferred.delete(result.entry);
    if (result.entry !== null) result.entry.decided = true;
    this.#results.push(result);
    this.#arm(result.holds);
    return replaced;
  }

  /** Puts an event behind a scheduled delivery of its lane. */
  defer(entry: WindowEntry): void {
    entry.decided = true;
    this.#deferred.add(entry);
    this.#arm(false);
  }

  touch(): void {
    this.#touched = true;
    this.flush();
  }

  /** Forgets what is not on its way yet. */
  drop(): void {
    this.#results = [];
    this.#deferred.clear();
    this.#touched = false;
    this.#timer?.();
    this.#timer = null;
  }

  /** Stores what there is, now or after the record that is on its way. */
  flush(): void {
    this.#timer?.();
    this.#timer = null;
    if (!this.#busy && this.#waits()) void this.#record();
  }

  #waits(): boolean {
    return this.#results.length > 0 || this.#deferred.size > 0 || this.#touched;
  }

  #arm(urgent: boolean): void {
    if (this.#busy) return;
    if (urgent || this.#results.length >= collectAtMost || this.#deferred.size >= unrecordedAtMost) {
      // Not at once: what ends in the same turn of the event loop belongs into the same record.
      this.#timer?.();
      this.#timer = this.#options.clock.soon(() => this.flush());
    } else if (this.#timer === null) {
      this.#timer = this.#options.clock.schedule(collectFor, () => this.flush());
    }
  }

  async #record(): Promise<void> {
    const results = this.#results.splice(0, resultsOfRecord);
    const deferred = [...this.#deferred];
    this.#deferred = new Set();
    this.#touched = false;
    this.#busy = true;
    this.#sending = results.length;
    const entries = results.map(({ entry }) => entry).filter((entry) => entry !== null);
    const body: RecordBody = {
      ...this.#options.account([...entries, ...deferred]),
      results: results.map(({ ref, attempt, outcome }) => ({ feedKey: ref.feedKey, lane: ref.lane, attempt, outcome })),
      deferred: deferred.map(({ feedKey, lane }) => ({ feedKey, lane })),
    };
    let done: () => void;
    try {
      const { state } = await this.#options.send(body);
      done = () => this.#options.recorded(results, deferred, state);
    } catch (error) {
      done = () => this.#options.failed(error);
    }
    this.#busy = false;
    this.#sending = 0;
    done();
    if (this.#results.length >= collectAtMost || this.#results.some(({ holds }) => holds)) this.flush();
    else if (this.#waits() && this.#timer === null) this.#arm(false);
  }
}
