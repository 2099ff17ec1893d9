import type { Clock, Logger } from '#actors/ports.ts';
import { deliveryId } from '#actors/ids.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type {
  AttemptRecord,
  DeliveryOutcome,
  SubscriptionState,
  SubscriptionWork,
  WebhookDeliveryReader,
} from '#actors/webhook-subscription/contract.ts';
import { Stopping } from '#src/dispatch/durably.ts';
import { type AttemptOptions, attemptDelivery } from './attempt.ts';
import { Backlog } from './backlog.ts';
import type { Turn } from './lane-table.ts';
import { type RecordBody, Recorder, type Result, unrecordedAtMost } from './recorder.ts';
import { createSigner, type Signer } from './signing.ts';
import type { SlotHolder, Slots } from './slots.ts';
import { Timers } from './timers.ts';
import type { WindowEntry } from './window.ts';

export interface RunnerOptions extends AttemptOptions {
  clock: Clock;
  reader: WebhookDeliveryReader;
  log: Logger;
  slots: Slots;
  /** The subscription as it is stored now; null: deleted. */
  reload(id: string): SubscriptionWork | null;
  /** Stores a record, however long the bus or the host is away. */
  send(id: string, body: RecordBody): Promise<{ state: SubscriptionState }>;
  /** Called with every outcome, for the metrics. */
  onAttempt?(outcome: DeliveryOutcome['kind']): void;
}

/** Failures in a row after which nothing is begun until the store has judged them. */
const failuresToHold = 10;
/** An event that is open so long, in ms, while the window is full is put aside, so that others can be read. */
const staleAfter = 1_000;
/** After so long without work, in ms, the cursor is moved over what nobody wanted. */
const quietAfter = 1_000;
/** Wait in ms after the store could not be read or refused a record. */
const afterDefect = 1_000;
type Mode = 'full' | 'probe' | 'none';

/** Sends what one subscription wants: reads the feed behind its cursor, lane by lane, and records what came of it. */
export class SubscriptionRunner implements SlotHolder {
  readonly #options: RunnerOptions;
  readonly #recorder: Recorder;
  #work: SubscriptionWork;
  #signer!: Signer;
  #mode: Mode = 'none';
  #state: SubscriptionState = 'idle';
  #backlog!: Backlog;
  #inFlight = 0;
  /** Nothing is begun until all is recorded; then everything is read anew. */
  #restarting = false;
  #stopped: (() => void) | null = null;
  #failuresInRow = 0;
  #pausedUntil = 0;
  #lastProbe = -1;
  #recorded: FeedPosition = [];
  readonly #timers: Timers;

  constructor(work: SubscriptionWork, options: RunnerOptions) {
    this.#options = options;
    this.#work = work;
    this.#timers = new Timers(options.clock);
    this.#recorder = new Recorder({
      clock: options.clock,
      send: (body) => options.send(this.#work.id, body),
      account: (entries) => this.#account(entries),
      recorded: (results, deferred, state) => this.#afterRecord(results, deferred, state),
      failed: (error) => {
        this.#recorder.drop();
        this.#setBack(error, 'webhook.record_failed');
        this.#go();
      },
    });
    this.#load(work);
  }

  /** Events that were read and are not accounted for. */
  get open(): number {
    return this.#backlog.open;
  }

  /** Takes over what is stored and goes on. Called at the start and whenever it may have changed. */
  update(work: SubscriptionWork): void {
    if (this.#stopped) return;
    const before = this.#work;
    this.#backlog.changed();
    const anew =
      work.generation !== before.generation || modeOf(work) !== this.#mode || work.types.join() !== before.types.join();
    if (anew) {
      this.#restart();
      return;
    }
    // Another receiver has not asked to be left alone.
    if (work.url !== before.url) this.#pausedUntil = 0;
    this.#work = work;
    if (JSON.stringify([work.signatureKeys, work.headers]) !== JSON.stringify([before.signatureKeys, before.headers])) {
      this.#signer = createSigner(work.signatureKeys, work.headers);
    }
    this.#go();
  }

  /** Reads on. Called whenever the feed may have grown. */
  feedGrew(): void {
    this.#backlog.feedGrew();
    this.#go();
  }

  slotFreed(): void {
    this.#go();
  }

  /** Begins nothing more; resolves when what is under way has ended and is recorded, or after `patience` ms. */
  async stop(patience: number): Promise<void> {
    this.#timers.cancelAll();
    const ended = new Promise<void>((resolve) => {
      this.#stopped = resolve;
      this.#options.clock.schedule(patience, resolve);
    });
    this.#recorder.flush();
    this.#checkStopped();
    await ended;
    this.#recorder.drop();
  }

  #load(work: SubscriptionWork): void {
    this.#work = work;
    this.#signer = createSigner(work.signatureKeys, work.headers);
    this.#mode = modeOf(work);
    this.#state = work.state;
    const { clock, reader } = this.#options;
    this.#backlog = new Backlog(work, this.#mode === 'full', {
      clock,
      reader,
      defer: (entry) => this.#recorder.defer(entry),
    });
    this.#recorded = work.cursor;
    this.#failuresInRow = 0;
  }

  #restart(): void {
    this.#wind();
    this.#recorder.flush();
    this.#go();
  }

  /** Begins nothing more until all is recorded. */
  #wind(): void {
    this.#restarting = true;
    this.#backlog.close();
  }

  #tryRestart(): void {
    if (!this.#restarting || this.#inFlight > 0 || !this.#recorder.idle) return;
    const work = this.#options.reload(this.#work.id);
    if (work === null) return;
    this.#restarting = false;
    this.#load(work);
  }

  /** Begins what can be begun now. */
  #go(): void {
    if (this.#stopped) {
      this.#checkStopped();
      return;
    }
    try {
      this.#tryRestart();
      if (this.#restarting || this.#mode === 'none') return;
      const pause = this.#pausedUntil - this.#options.clock.now();
      if (pause > 0) this.#timers.later('go', pause, () => this.#go());
      else if (this.#mode === 'probe') this.#goProbing();
      else this.#goOn();
    } catch (error) {
      this.#setBack(error, 'webhook.failed');
      this.#timers.later('go', afterDefect, () => this.#go());
    }
  }

  #goOn(): void {
    const { slots, clock } = this.#options;
    for (;;) {
      this.#backlog.read();
      if (!this.#mayBegin() || !this.#backlog.canGoOn || !slots.take(this)) break;
      const turn = this.#backlog.next();
      if (turn === null) slots.release(this);
      else void this.#try(turn);
    }
    const { headsWait, full } = this.#backlog;
    if (headsWait > 0) this.#timers.later('heads', headsWait, () => this.#go());
    if (full) this.#timers.later('stale', staleAfter, () => this.#backlog.putAside(clock.now() - staleAfter));
    this.#timers.later('quiet', quietAfter, () => this.#whenQuiet());
  }

  #goProbing(): void {
    if (this.#inFlight > 0 || !this.#recorder.idle || !this.#options.slots.take(this)) return;
    const turn = this.#backlog.probe(this.#lastProbe);
    if (turn !== null) {
      this.#lastProbe = turn.ref.feedKey;
      void this.#try(turn);
      return;
    }
    this.#options.slots.release(this);
    if (this.#caughtUp()) this.#recorder.touch();
  }

  #mayBegin(): boolean {
    if (this.#restarting || this.#pausedUntil > this.#options.clock.now()) return false;
    return this.#failuresInRow < failuresToHold && this.#recorder.unrecorded + this.#inFlight < unrecordedAtMost;
  }

  async #try(turn: Turn): Promise<void> {
    this.#inFlight++;
    try {
      const { attempt, outcome } = await this.#attempt(turn);
      // The client is closed once the hub's patience is over: that says nothing about the receiver.
      if (attempt?.reason !== 'closed') this.#ended(turn, attempt, outcome);
    } catch (error) {
      this.#setBack(error, 'webhook.failed');
    }
    this.#inFlight--;
    this.#options.slots.release(this);
    this.#go();
  }

  async #attempt({ ref, entry }: Turn): Promise<Pick<Result, 'attempt' | 'outcome'>> {
    const { reader, log, onAttempt } = this.#options;
    const { id: subscription, url } = this.#work;
    const event = reader.events([ref.feedKey]).get(ref.feedKey);
    if (event === undefined) return { attempt: null, outcome: { kind: 'expired' } };
    const id = deliveryId(subscription, ref.feedKey);
    const attempted = await attemptDelivery(this.#options, {
      url,
      id,
      body: event.text(entry?.position),
      signer: this.#signer,
    });
    const { status, reason, durationMs: ms } = attempted.attempt;
    const outcome = attempted.outcome.kind;
    log.info({ subscription, delivery: id, outcome, status, reason, ms }, 'webhook.attempted');
    onAttempt?.(outcome);
    return attempted;
  }

  #ended(turn: Turn, attempt: AttemptRecord | null, outcome: DeliveryOutcome): void {
    const { kind } = outcome;
    this.#failuresInRow = kind === 'delivered' ? 0 : this.#failuresInRow + 1;
    if (kind === 'throttled') {
      this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.clock.now() + outcome.retryAfter);
    }
    if (kind === 'gone') this.#wind();
    const holds = this.#backlog.holds(turn, kind === 'delivered');
    const replaced = this.#recorder.add({ ref: turn.ref, entry: turn.entry, attempt, outcome, holds });
    if (holds && !replaced) this.#backlog.hold(turn);
    this.#backlog.ended(turn);
  }

  #account(entries: WindowEntry[]): Omit<RecordBody, 'results' | 'deferred'> {
    const progress = this.#backlog.account(entries);
    this.#recorded = progress.cursor;
    // While events come and go it stays `delivering`: only after a quiet moment is it idle.
    const caughtUp = this.#caughtUp() && (this.#mode === 'probe' || this.#state !== 'delivering');
    return { generation: this.#work.generation, ...progress, caughtUp };
  }

  /** Nothing is left to read or to send; of a failing endpoint nothing at all. */
  #caughtUp(): boolean {
    const { caughtUp, blocked } = this.#backlog;
    return caughtUp && this.#inFlight === 0 && (this.#mode === 'full' || blocked === 0);
  }

  #whenQuiet(): void {
    if (this.#restarting || this.#mode !== 'full' || !this.#recorder.idle || !this.#caughtUp()) return;
    if (this.#state === 'idle' && this.#backlog.end.join() === this.#recorded.join()) return;
    this.#state = 'idle';
    this.#recorder.touch();
  }

  #afterRecord(results: Result[], deferred: WindowEntry[], state: SubscriptionState): void {
    this.#state = state;
    const held = results.filter(({ holds }) => holds).map(({ ref }) => ref);
    this.#backlog.settle([...deferred, ...held].map(({ lane }) => lane));
    if (this.#mode === 'probe' || (state !== 'idle' && state !== 'delivering')) this.#wind();
    else this.#failuresInRow = 0;
    this.#go();
  }

  /** Something that can not be mended here: after a moment all begins again with what is stored. */
  #setBack(error: unknown, event: string): void {
    if (!(error instanceof Stopping)) {
      this.#options.log.error({ subscription: this.#work.id, reason: String(error) }, event);
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.clock.now() + afterDefect);
    this.#wind();
  }

  #checkStopped(): void {
    if (!this.#stopped) return;
    this.#recorder.flush();
    if (this.#inFlight === 0 && this.#recorder.idle) this.#stopped();
  }
}

function modeOf({ state, probing }: SubscriptionWork): Mode {
  if (state === 'idle' || state === 'delivering') return probing ? 'probe' : 'full';
  return 'none';
}
