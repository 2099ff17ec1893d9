import type { SubscriptionWork } from '#actors/webhook-subscription/contract.ts';
import { Backlog } from './backlog.ts';
import type { LaneDelivery } from './lane-table.ts';
import type { ActivePhase, RunnerContext } from './active-phase.ts';

/**
 * The endpoint is failing, and one attempt tells whether it is back. Its record ends the phase, whatever the outcome.
 * With nothing to probe with, a record says so, and the store takes the endpoint for well.
 */
export class Probing implements ActivePhase {
  readonly name = 'probing';
  readonly backlog: Backlog;
  readonly #context: RunnerContext;

  constructor(work: SubscriptionWork, context: RunnerContext) {
    const { clock, reader } = context;
    this.#context = context;
    this.backlog = new Backlog(work, { clock, reader, defer: null });
  }

  mayAttempt(): boolean {
    return this.backlog.busy === 0 && this.#context.recorder.idle;
  }

  next(): LaneDelivery | null {
    const delivery = this.backlog.probe(this.#context.lastProbe);
    if (delivery !== null) this.#context.lastProbe = delivery.ref.feedKey;
    return delivery;
  }

  waiting(): void {
    if (this.mayAttempt() && this.#nothingLeft()) this.#context.recorder.recordCursor();
  }

  attempted(): void {}

  recording(): boolean {
    return this.#nothingLeft();
  }

  recorded(): void {
    this.backlog.close();
  }

  #nothingLeft(): boolean {
    return this.backlog.caughtUp && this.backlog.headed === 0;
  }
}
