import type { FeedPosition } from '#actors/journal/feed.ts';
import type { DeliveryOutcome, SubscriptionState, SubscriptionWork } from '#actors/webhook-subscription/contract.ts';
import { Backlog } from './backlog.ts';
import type { LaneDelivery } from './lane-table.ts';
import type { ActivePhase, RunnerContext } from './active-phase.ts';
import { unrecordedAtMost } from './recorder.ts';
import { Alarms } from './alarms.ts';

/** Failures in a row after which no attempt begins until the store has judged them. */
const mostFailuresInRow = 10;
/** An event that is open so long, in ms, while the window is full is deferred, so that others can be read. */
const slowAfter = 1_000;
/** After so long without work, in ms, the cursor is moved over what nobody wanted. */
const quietAfter = 1_000;

/**
 * The endpoint is well. Every lane with something to send has one attempt under way, as far as there are permits, and
 * reading goes on as far as the window allows. Failures in a row hold attempts back until the store has judged them.
 */
export class Sending implements ActivePhase {
  readonly name = 'sending';
  readonly backlog: Backlog;
  readonly #context: RunnerContext;
  readonly #alarms: Alarms;
  #failuresInRow = 0;
  /** The store has it as `delivering`, not as `idle`. */
  #delivering: boolean;
  /** The cursor of the last record. */
  #recordedTo: FeedPosition;

  constructor(work: SubscriptionWork, context: RunnerContext) {
    const { clock, reader, recorder } = context;
    this.#context = context;
    this.#alarms = new Alarms(clock);
    this.backlog = new Backlog(work, { clock, reader, defer: (entry) => recorder.defer(entry) });
    this.#delivering = work.state === 'delivering';
    this.#recordedTo = work.cursor;
  }

  mayAttempt(): boolean {
    this.backlog.read();
    const unrecorded = this.#context.recorder.unrecorded + this.backlog.busy;
    return this.#failuresInRow < mostFailuresInRow && unrecorded < unrecordedAtMost && this.backlog.hasNext;
  }

  next(): LaneDelivery | null {
    for (; this.backlog.hasNext; this.backlog.read()) {
      const delivery = this.backlog.next();
      if (delivery !== null) return delivery;
    }
    return null;
  }

  waiting(): void {
    const { clock, advance } = this.#context;
    const { headsWait, full } = this.backlog;
    if (headsWait > 0) this.#alarms.later('heads', headsWait, advance);
    if (full) this.#alarms.later('slow', slowAfter, () => this.backlog.deferSlow(clock.now() - slowAfter));
    this.#alarms.later('quiet', quietAfter, () => this.#recordQuiet());
  }

  attempted(outcome: DeliveryOutcome['kind']): void {
    this.#failuresInRow = outcome === 'delivered' ? 0 : this.#failuresInRow + 1;
  }

  /** While events come and go the subscription stays `delivering`: only a quiet moment makes it idle. */
  recording(cursor: FeedPosition): boolean {
    this.#recordedTo = cursor;
    return this.backlog.caughtUp && !this.#delivering;
  }

  recorded(state: SubscriptionState): void {
    this.#failuresInRow = 0;
    this.#delivering = state === 'delivering';
    if (state !== 'delivering' && state !== 'idle') this.backlog.close();
  }

  #recordQuiet(): void {
    const { recorder } = this.#context;
    if (!recorder.idle || !this.backlog.caughtUp) return;
    if (!this.#delivering && this.backlog.end.join() === this.#recordedTo.join()) return;
    this.#delivering = false;
    recorder.recordCursor();
  }
}
