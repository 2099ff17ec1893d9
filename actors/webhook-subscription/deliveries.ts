import type { EventOf } from '#machines/registry.ts';
import type { OwnedState } from '../runtime/kind.ts';
import type { AttemptRecord, DeliveryOutcome, DeliveryRef } from './contract.ts';
import type { SubscriptionRuntime } from './memory.ts';
import { webhookAttempts, webhookDeliveries, type WebhookDeliveryRow } from './tables.ts';

type Row = WebhookDeliveryRow;

const machine = 'webhook-delivery';

interface Touched {
  row: Row;
  /** As it is in the store; null: a new one. */
  stored: Row | null;
}

/**
 * The deliveries that one command changes. Each row is read and written once, however much happens to it: `flush`
 * writes them. `subscription`: what the deliveries carry as such.
 */
export class Deliveries {
  readonly #runtime: SubscriptionRuntime;
  readonly #subscription: number;
  readonly #touched = new Map<number, Touched>();

  constructor(runtime: SubscriptionRuntime, subscription: number) {
    this.#runtime = runtime;
    this.#subscription = subscription;
  }

  /** Stores an attempt and what it came to. */
  attempted(ref: DeliveryRef, attempt: AttemptRecord | null, outcome: DeliveryOutcome): void {
    const touched = this.#of(ref);
    this.#apply(touched, outcome);
    this.#keepAttempt(touched.row, attempt);
  }

  /** Whether an event waits for no attempt: it is delivered or dead, or forgotten since. */
  isOver({ feedKey }: DeliveryRef): boolean {
    return this.#runtime.reads.delivery(this.#subscription, feedKey)?.status !== 'scheduled';
  }

  /** Stores an attempt that changes nothing. */
  noted({ feedKey }: DeliveryRef, attempt: AttemptRecord | null): void {
    const stored = this.#runtime.reads.delivery(this.#subscription, feedKey);
    if (stored !== null) this.#keepAttempt(stored, attempt);
  }

  #keepAttempt({ key }: Row, attempt: AttemptRecord | null): void {
    if (attempt === null) return;
    this.#runtime.change(
      webhookAttempts.insert({
        key: this.#runtime.nextKey(),
        delivery: key,
        at: attempt.at,
        duration_ms: Math.round(attempt.durationMs),
        status: attempt.status,
        reason: attempt.reason,
        answer: attempt.answer,
      }),
    );
  }

  /** Puts an event behind an earlier one of its lane. */
  defer(ref: DeliveryRef): void {
    const { row, stored } = this.#of(ref);
    if (stored !== null && row.status !== 'scheduled') this.#replay(row);
  }

  /** Makes a stored delivery due at once, whatever became of it. */
  replay(row: Row): void {
    this.#replay(this.#keep(row).row);
  }

  /** Steps the machine of a stored delivery. */
  step(row: Row, event: EventOf<typeof machine>): void {
    this.#step(this.#keep(row).row, event);
  }

  /** Ends every wait, but of those that this command began. */
  releaseAll(): void {
    for (const row of this.#runtime.reads.deliveriesHeld(this.#subscription)) {
      if (!this.#touched.has(row.feed_key)) this.step(row, { type: 'release' });
    }
  }

  /** Writes what has changed. @returns whether anything has */
  flush(): boolean {
    let changed = false;
    for (const { row, stored } of this.#touched.values()) {
      const { key, status, ready } = row;
      if (stored === null) {
        this.#runtime.change(webhookDeliveries.insert(row));
        changed = true;
      } else if (stored.status !== status || stored.ready !== ready || stored.machine !== row.machine) {
        const columns = { status, ready, machine: row.machine };
        this.#runtime.change(webhookDeliveries.update(key, columns));
        changed = true;
      }
    }
    this.#touched.clear();
    return changed;
  }

  #apply({ row, stored }: Touched, outcome: DeliveryOutcome): void {
    switch (outcome.kind) {
      case 'delivered':
        if (row.machine !== null) this.#step(row, { type: 'attempt.succeeded' });
        else row.status = 'delivered';
        return;
      case 'failed':
        this.#scheduled(row, stored);
        this.#step(row, { type: 'attempt.failed', jitter: outcome.jitter });
        return;
      case 'throttled':
        this.#scheduled(row, stored);
        this.#step(row, { type: 'attempt.throttled', retryAfter: outcome.retryAfter });
        return;
      case 'expired':
        this.#scheduled(row, stored);
        this.#step(row, { type: 'expire' });
        return;
      case 'gone':
        // The endpoint's end, not the delivery's: it waits for a new subscriber.
        this.defer({ feedKey: row.feed_key, lane: row.lane });
    }
  }

  /** Gives a delivery a machine in `scheduled`, from which an attempt can go on. */
  #scheduled(row: Row, stored: Row | null): void {
    if (stored !== null && row.status !== 'scheduled') this.#replay(row);
    else if (row.machine === null) this.#start(row);
  }

  #replay(row: Row): void {
    if (row.machine !== null) this.#step(row, { type: 'replay' });
    else if (row.status !== 'scheduled') this.#start(row);
  }

  #start(row: Row): void {
    const { owned } = this.#runtime.stepOwned(machine, row.key, null, null);
    show(row, owned);
  }

  #step(row: Row, event: EventOf<typeof machine>): void {
    if (row.machine === null) return;
    const { result, owned } = this.#runtime.stepOwned(machine, row.key, JSON.parse(row.machine) as OwnedState, event);
    if (result.changed) show(row, owned);
  }

  #of({ feedKey, lane }: DeliveryRef): Touched {
    const touched = this.#touched.get(feedKey);
    if (touched !== undefined) return touched;
    const stored = this.#runtime.reads.delivery(this.#subscription, feedKey);
    if (stored !== null) return this.#keep(stored);
    const row: Row = {
      key: this.#runtime.nextKey(),
      actor: this.#runtime.actor.key,
      subscription: this.#subscription,
      feed_key: feedKey,
      lane,
      status: 'scheduled',
      ready: 1,
      machine: null,
      at: this.#runtime.now,
    };
    const made = { row, stored: null };
    this.#touched.set(feedKey, made);
    return made;
  }

  #keep(stored: Row): Touched {
    let touched = this.#touched.get(stored.feed_key);
    if (touched === undefined) {
      touched = { row: { ...stored }, stored };
      this.#touched.set(stored.feed_key, touched);
    }
    return touched;
  }
}

/** The columns that follow from the machine's state. */
export function shownOf(owned: OwnedState): Pick<Row, 'status' | 'ready'> {
  const value = owned.value as 'delivered' | 'dead' | { scheduled: 'due' | 'backingOff' };
  const status = typeof value === 'string' ? value : 'scheduled';
  return { status, ready: typeof value === 'object' && value.scheduled === 'backingOff' ? 0 : 1 };
}

const show = (row: Row, owned: OwnedState): Row =>
  Object.assign(row, shownOf(owned), { machine: JSON.stringify(owned) });
