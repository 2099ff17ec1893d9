import type { Failure } from '#actors/errors.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type {
  SubscriptionState,
  SubscriptionWork,
  WebhookDeliveryReader,
} from '#actors/webhook-subscription/contract.ts';
import { Stopping } from '#src/dispatch/durably.ts';
import type { ActivePhase, RunnerContext } from './active-phase.ts';
import { Attempts, type AttemptsOptions } from './attempts.ts';
import { activeOf, mustReload, type Phase, phaseOf } from './phase.ts';
import { summaryOf } from './record-summary.ts';
import { type RecordBody, type Recorded, Recorder } from './recorder.ts';
import { Alarms } from './alarms.ts';
import type { WindowEntry } from './window.ts';

export interface RunnerOptions extends AttemptsOptions {
  clock: Clock;
  reader: WebhookDeliveryReader;
  log: Logger;
  /** The subscription as it is stored now; null: deleted. */
  reload(id: string): SubscriptionWork | null;
  /** As `Services` has it. */
  unread(error: unknown): Failure | null;
  /** Stores a record, however long the bus or the host is away. */
  send(id: string, body: RecordBody): Promise<{ state: SubscriptionState }>;
}

/** Wait in ms after the store could not be read or refused a record. */
const afterDefect = 1_000;

/**
 * Sends what one subscription wants, and records the outcomes. It goes from phase to phase; whatever may let it go
 * on calls `#advance`, which does what the phase allows. docs/webhook-lanes.md tells the whole.
 */
export class SubscriptionRunner {
  readonly #options: RunnerOptions;
  readonly #alarms: Alarms;
  readonly #recorder: Recorder;
  readonly #context: RunnerContext;
  readonly #attempts: Attempts;
  /** The subscription as the phase knows it. */
  #work: SubscriptionWork;
  #phase: Phase;

  constructor(work: SubscriptionWork, options: RunnerOptions) {
    const { clock, reader, send } = options;
    this.#options = options;
    this.#work = work;
    this.#alarms = new Alarms(clock);
    this.#recorder = new Recorder({
      clock,
      progressWith: (entries) => this.#progressWith(entries),
      send: (body) => send(this.#work.id, body),
    });
    this.#context = {
      ...{ clock, reader, recorder: this.#recorder, lastProbe: -1 },
      advance: () => this.#advance(),
      startOver: (error) => this.#startOver(error, 'webhook.failed'),
    };
    this.#attempts = new Attempts(work, options, this.#context);
    this.#phase = phaseOf(work, this.#context);
    void this.#keepRecording();
  }

  /** Events that were read and are not recorded. */
  get open(): number {
    return activeOf(this.#phase)?.backlog.unrecorded ?? 0;
  }

  /** Takes over what is stored and goes on. Called whenever the subscription may have changed. */
  update(work: SubscriptionWork): void {
    activeOf(this.#phase)?.backlog.changed();
    if (mustReload(this.#work, work)) this.#drain();
    else this.#take(work);
    this.#advance();
  }

  /** Reads on. Called whenever the feed may have grown. */
  feedGrew(): void {
    activeOf(this.#phase)?.backlog.feedGrew();
    this.#advance();
  }

  /**
   * Begins nothing more; resolves when what is under way has ended and is recorded.
   * @param patience after so many ms at the latest; default: however long it takes
   */
  async stop(patience?: number): Promise<void> {
    this.#drain();
    this.#alarms.cancelAll();
    // Who has asked before with more patience waits no longer.
    const before = this.#phase.name === 'stopping' ? this.#phase.stopped : () => {};
    await new Promise<void>((resolve) => {
      const stopped = (): void => {
        before();
        resolve();
      };
      this.#phase = { name: 'stopping', left: activeOf(this.#phase), stopped };
      if (patience !== undefined) this.#options.clock.schedule(patience, stopped);
      this.#advance();
    });
    this.#recorder.forget();
  }

  #advance(): void {
    try {
      if (activeOf(this.#phase)?.backlog.closed) this.#drain();
      const phase = this.#phase;
      if (phase.name === 'sending' || phase.name === 'probing') this.#attempts.begin(phase);
      else if (phase.name === 'draining' && this.#isDrained(phase.left)) this.#load(phase.until);
      else if (phase.name === 'stopping' && this.#isDrained(phase.left)) phase.stopped();
    } catch (error) {
      this.#startOver(error, 'webhook.failed');
    }
  }

  // Recording: one record after the other, for as long as the runner lives.

  async #keepRecording(): Promise<void> {
    for (;;) {
      const record = this.#recorder.record();
      // Only now is the recorder idle again, for which some wait.
      this.#advance();
      try {
        this.#recorded(await record);
      } catch (error) {
        this.#recorder.forget();
        this.#startOver(error, 'webhook.record_failed');
      }
    }
  }

  #progressWith(entries: readonly WindowEntry[]): Omit<RecordBody, 'results' | 'deferred'> {
    const { generation } = this.#work;
    const active = activeOf(this.#phase);
    if (active === null) return { generation, cursor: null, ahead: [], caughtUp: false };
    const progress = active.backlog.progressWith(entries);
    return { generation, ...progress, caughtUp: active.recording(progress.cursor) };
  }

  #recorded(record: Recorded): void {
    this.#options.log.info(summaryOf(this.#work.id, record), 'webhook.recorded');
    const active = activeOf(this.#phase);
    active?.backlog.recorded(record);
    active?.recorded(record.state);
  }

  // Draining: when the attempts of the phase that is left are over and recorded, the subscription is loaded, and the
  // next phase begins with a backlog of its own. So no delivery is ever in two of them.

  #drain(until = 0): void {
    const phase = this.#phase;
    if (phase.name === 'stopping') return;
    const left = activeOf(phase);
    left?.backlog.close();
    this.#phase = { name: 'draining', left, until: phase.name === 'draining' ? Math.max(phase.until, until) : until };
  }

  #isDrained(left: ActivePhase | null): boolean {
    this.#recorder.flush();
    return (left?.backlog.busy ?? 0) === 0 && this.#recorder.idle;
  }

  #load(notBefore: number): void {
    const wait = notBefore - this.#options.clock.elapsed();
    if (wait > 0) {
      this.#alarms.later('load', wait, () => this.#advance());
      return;
    }
    const work = this.#options.reload(this.#work.id);
    // Deleted: the dispatcher will stop it.
    if (work === null) return;
    this.#take(work);
    this.#phase = phaseOf(work, this.#context);
    this.#advance();
  }

  #take(work: SubscriptionWork): void {
    const missed = work.missed - this.#work.missed;
    if (missed > 0) this.#options.log.warn({ subscription: work.id, events: missed }, 'webhook.events_missed');
    this.#work = work;
    this.#attempts.update(work);
  }

  /** A defect that can not be mended here: after a moment all begins again with what is stored. */
  #startOver(error: unknown, event: string): void {
    if (!(error instanceof Stopping) && this.#options.unread(error) === null) {
      this.#options.log.error({ subscription: this.#work.id, reason: String(error) }, event);
    }
    this.#drain(this.#options.clock.elapsed() + afterDefect);
    this.#alarms.later('load', afterDefect, () => this.#advance());
  }
}
