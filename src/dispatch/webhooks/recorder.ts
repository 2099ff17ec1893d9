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

/** The result of one attempt. */
export interface Result {
  /** Null: the event is no longer kept. */
  attempt: AttemptRecord | null;
  outcome: DeliveryOutcome;
  ref: DeliveryRef;
  /** Null for a scheduled delivery. */
  entry: WindowEntry | null;
  /** Its lane is blocked until it is recorded. */
  blocks: boolean;
}

/** A record that is stored. */
export interface Recorded {
  results: readonly Result[];
  deferred: readonly WindowEntry[];
  /** The subscription's state after it. */
  state: SubscriptionState;
}

export interface RecorderOptions {
  clock: Clock;
  /** How far the subscription is when these entries are recorded. Asked for each record once, before it is sent. */
  progressWith(entries: readonly WindowEntry[]): Omit<RecordBody, 'results' | 'deferred'>;
  /** Stores a record, however long the bus or the host is away. */
  send(body: RecordBody): Promise<{ state: SubscriptionState }>;
}

/** Results are collected this long, in ms, or until there are so many. */
const collectFor = 20;
const collectAtMost = 64;
/** Results of one record at most: answers of 1 KiB each must fit an envelope. */
const resultsOfRecord = 128;

/** Results that may wait to be recorded; a subscription with more makes no attempts. */
export const unrecordedAtMost = 512;

/**
 * Collects results and deferrals, and stores them, one record after the other. A result that blocks its lane is stored
 * soon; others wait for company.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #results: Result[] = [];
  #deferred = new Set<WindowEntry>();
  /** A record is wanted even without a result: the cursor has moved over events that nobody wants. */
  #cursorMoved = false;
  /** Results in the record that is on its way. */
  #onTheirWay = 0;
  /** Ends the wait of `record`; null while none waits. */
  #due: (() => void) | null = null;
  #timer: Cancel | null = null;
  #soon = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Results that are not stored. */
  get unrecorded(): number {
    return this.#results.length + this.#onTheirWay;
  }

  /** Whether all is stored: `record` is called, and waits for something to do. */
  get idle(): boolean {
    return this.#due !== null && this.#empty;
  }

  /** @returns whether it took the place of a deferral of its own event, made during the attempt */
  add(result: Result): boolean {
    const replaced = result.entry !== null && this.#deferred.delete(result.entry);
    if (result.entry !== null) result.entry.status = 'decided';
    this.#results.push(result);
    this.#plan();
    return replaced;
  }

  /** Puts an event behind a scheduled delivery of its lane. */
  defer(entry: WindowEntry): void {
    entry.status = 'decided';
    this.#deferred.add(entry);
    this.#plan();
  }

  /** Has the cursor recorded, with or without results. */
  recordCursor(): void {
    this.#cursorMoved = true;
    this.flush();
  }

  /** Lets nothing wait for company. */
  flush(): void {
    if (this.#due !== null && !this.#empty) this.#end();
  }

  /** Forgets what is not on its way yet. */
  forget(): void {
    this.#results = [];
    this.#deferred.clear();
    this.#cursorMoved = false;
    this.#cancelTimer();
  }

  /**
   * Waits until there is something to store, stores it and says what it was. Called again when that is taken in.
   * @throws what `send` throws: the record can not be stored
   */
  async record(): Promise<Recorded> {
    await new Promise<void>((resolve) => {
      this.#due = resolve;
      this.#plan();
    });
    const results = this.#results.splice(0, resultsOfRecord);
    const deferred = [...this.#deferred];
    this.#deferred = new Set();
    this.#cursorMoved = false;
    this.#onTheirWay = results.length;
    const entries = results.map(({ entry }) => entry).filter((entry) => entry !== null);
    try {
      const { state } = await this.#options.send({
        ...this.#options.progressWith([...entries, ...deferred]),
        results: results.map(({ ref: { feedKey, lane }, attempt, outcome }) => ({ feedKey, lane, attempt, outcome })),
        deferred: deferred.map(({ feedKey, lane }) => ({ feedKey, lane })),
      });
      return { results, deferred, state };
    } finally {
      this.#onTheirWay = 0;
    }
  }

  get #empty(): boolean {
    return this.#results.length === 0 && this.#deferred.size === 0 && !this.#cursorMoved;
  }

  get #urgent(): boolean {
    const many = this.#results.length >= collectAtMost || this.#deferred.size >= unrecordedAtMost;
    return many || this.#cursorMoved || this.#results.some(({ blocks }) => blocks);
  }

  /** Says when the next record is due. */
  #plan(): void {
    if (this.#due === null || this.#empty || this.#soon) return;
    const { clock } = this.#options;
    if (this.#urgent) {
      this.#cancelTimer();
      this.#soon = true;
      // Not at once: what ends in the same pass of the event loop belongs into the same record.
      this.#timer = clock.soon(() => this.#end());
    } else {
      this.#timer ??= clock.schedule(collectFor, () => this.#end());
    }
  }

  /** Ends the wait of `record`. */
  #end(): void {
    this.#cancelTimer();
    this.#due?.();
    this.#due = null;
  }

  #cancelTimer(): void {
    this.#timer?.();
    this.#timer = null;
    this.#soon = false;
  }
}
