import { Failure } from '../errors.ts';
import type { Columns, Runtime } from '../runtime/kind.ts';
import type { SubscriptionReads } from './reads.ts';
import type { SubscriptionRow } from './tables.ts';

export type SubscriptionRuntime = Runtime<SubscriptionRow, null, SubscriptionReads, 'webhook-subscription'>;

/** @throws Failure `not_found` for one that was never made, or deleted */
export function existing({ row, actor }: SubscriptionRuntime): Readonly<SubscriptionRow> {
  if (row.deleted === 1) throw new Failure('not_found', `There is no webhook subscription ${actor.id}.`);
  return row;
}

/** Changes columns of the subscription's row. */
export function saveSubscription(runtime: SubscriptionRuntime, columns: Partial<Columns<SubscriptionRow>>): void {
  if (Object.keys(columns).length > 0) runtime.save(columns);
}
