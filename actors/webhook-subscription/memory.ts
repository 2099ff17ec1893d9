import { Failure } from '../errors.ts';
import type { Runtime } from '../runtime/definition.ts';
import type { Rows } from '../store/tables.ts';

export interface SubscriptionMemory {
  /** Null until it is subscribed, and after it was deleted. */
  row: Rows['webhook_subscription'] | null;
}

export type SubscriptionRuntime = Runtime<SubscriptionMemory>;

/** @throws Failure `not_found` */
export function existing(runtime: SubscriptionRuntime): Rows['webhook_subscription'] {
  const { row } = runtime.memory;
  if (row === null) throw new Failure('not_found', `There is no webhook subscription ${runtime.actor.id}.`);
  return row;
}

/** Changes columns of the subscription's row. */
export function saveSubscription(runtime: SubscriptionRuntime, columns: Partial<Rows['webhook_subscription']>): void {
  const row = existing(runtime);
  if (Object.keys(columns).length === 0) return;
  Object.assign(row, columns);
  runtime.change({ table: 'webhook_subscription', op: 'update', key: row.key, row: columns });
}
