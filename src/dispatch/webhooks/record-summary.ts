import { deliveryId } from '#actors/ids.ts';
import type { DeliveryOutcome } from '#actors/webhook-subscription/contract.ts';
import type { Recorded } from './recorder.ts';

/** The fields of a record's log line: how many attempts had which outcome, and each that did not deliver by its id. */
export function summaryOf(subscription: string, { results, deferred, state }: Recorded): Record<string, unknown> {
  const counts: Partial<Record<DeliveryOutcome['kind'], number>> = {};
  const undelivered: Record<string, unknown>[] = [];
  let slowestMs = 0;
  for (const { attempt, outcome, ref } of results) {
    counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, attempt?.durationMs ?? 0);
    if (outcome.kind === 'delivered') continue;
    const delivery = deliveryId(subscription, ref.feedKey);
    const { status = null, reason = null, durationMs: ms = 0 } = attempt ?? {};
    undelivered.push({ delivery, outcome: outcome.kind, status, reason, ms });
  }
  const shown = undelivered.length > 0 ? { undelivered } : {};
  return { subscription, ...counts, deferred: deferred.length, state, slowestMs, ...shown };
}
