import { deliveryId } from '#actors/ids.ts';
import type { DeliveryOutcome, SubscriptionWork } from '#actors/webhook-subscription/contract.ts';
import type { ActivePhase, RunnerContext } from './active-phase.ts';
import { attemptDelivery, type AttemptOptions } from './attempt.ts';
import type { Backlog } from './backlog.ts';
import type { LaneDelivery } from './lane-table.ts';
import type { Result } from './recorder.ts';
import type { SharedEvents } from './shared-events.ts';
import { createSigner, type Signer } from './signing.ts';
import type { PermitHolder, Permits } from './permits.ts';
import { Alarms } from './alarms.ts';

export interface AttemptsOptions extends AttemptOptions {
  events: SharedEvents;
  permits: Permits;
  /** Called with the outcome of every attempt, for the metrics. */
  onAttempt?(outcome: DeliveryOutcome['kind']): void;
}

/** Events that are read at once, at most. */
const eventsPerPage = 64;

/**
 * Makes the attempts of one subscription: as many as its phase, the permits and the receiver allow. Each leads to a result
 * for the recorder.
 */
export class Attempts implements PermitHolder {
  readonly #options: AttemptsOptions;
  readonly #context: RunnerContext;
  readonly #alarms: Alarms;
  #work: SubscriptionWork;
  #signer: Signer;
  /** The receiver asked to be left alone until then, in ms of the clock's `elapsed`. */
  #pausedUntil = 0;

  constructor(work: SubscriptionWork, options: AttemptsOptions, context: RunnerContext) {
    this.#options = options;
    this.#context = context;
    this.#alarms = new Alarms(context.clock);
    this.#work = work;
    this.#signer = createSigner(work.signatureKeys, work.headers);
  }

  /** Takes over the address, the keys and the headers that are stored. */
  update(work: SubscriptionWork): void {
    // Another receiver has not asked to be left alone.
    if (work.url !== this.#work.url) this.#pausedUntil = 0;
    if (signing(work) !== signing(this.#work)) this.#signer = createSigner(work.signatureKeys, work.headers);
    this.#work = work;
  }

  /** Begins what can begin now. */
  begin(phase: ActivePhase): void {
    const { permits } = this.#options;
    const pause = this.#pausedUntil - this.#context.clock.elapsed();
    if (pause > 0) {
      this.#alarms.later('pause', pause, this.#context.advance);
      return;
    }
    while (phase.mayAttempt() && permits.take(this)) {
      const delivery = phase.next();
      if (delivery === null) {
        permits.release(this);
        break;
      }
      void this.#attempt(delivery, phase);
    }
    phase.waiting();
  }

  permitFreed(): void {
    this.#context.advance();
  }

  async #attempt(delivery: LaneDelivery, phase: ActivePhase): Promise<void> {
    const { backlog } = phase;
    try {
      const result = await this.#call(delivery, backlog);
      // The client is closed once the hub's patience is over: that says nothing about the receiver.
      if (result.attempt?.reason !== 'closed') this.#collect(delivery, result, phase);
    } catch (error) {
      this.#context.startOver(error);
    }
    backlog.ended(delivery.lane);
    this.#options.permits.release(this);
    this.#context.advance();
  }

  async #call({ ref, entry }: LaneDelivery, backlog: Backlog): Promise<Pick<Result, 'attempt' | 'outcome'>> {
    const { events, clock, onAttempt } = this.#options;
    const { feedKey } = ref;
    const event = events.find(feedKey, () => (entry === null ? [feedKey] : backlog.keysFrom(entry, eventsPerPage)));
    if (event === null) return { attempt: null, outcome: { kind: 'expired' } };
    const sending = { url: this.#work.url, id: deliveryId(this.#work.id, feedKey), signer: this.#signer };
    const attempted = await attemptDelivery(this.#options, { ...sending, body: event.text(entry?.position) });
    const { outcome } = attempted;
    onAttempt?.(outcome.kind);
    if (outcome.kind === 'throttled') {
      this.#pausedUntil = Math.max(this.#pausedUntil, clock.elapsed() + outcome.retryAfter);
    }
    return attempted;
  }

  #collect(delivery: LaneDelivery, result: Pick<Result, 'attempt' | 'outcome'>, phase: ActivePhase): void {
    const { backlog } = phase;
    const { kind } = result.outcome;
    phase.attempted(kind);
    // The receiver wants nothing more: the phase is over.
    if (kind === 'gone') backlog.close();
    const blocks = backlog.blocks(delivery, kind === 'delivered');
    const replaced = this.#context.recorder.add({ ref: delivery.ref, entry: delivery.entry, blocks, ...result });
    if (blocks && !replaced) backlog.block(delivery.lane);
  }
}

const signing = ({ signatureKeys, headers }: SubscriptionWork): string => JSON.stringify([signatureKeys, headers]);
