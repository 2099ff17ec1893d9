import { Failure } from '../errors.ts';
import type { FeedPosition } from '../journal/feed.ts';
import type { SubscriptionFields } from './contract.ts';
import type { Columns } from '../runtime/kind.ts';
import { unmaskedHeaders } from '../secrets.ts';
import type { SubscriptionRuntime } from './memory.ts';
import type { SubscriptionRow } from './tables.ts';

type Row = Columns<SubscriptionRow>;

/** How long the key before stays valid when nothing else is said, in ms. */
export const defaultRotationOverlap = 24 * 60 * 60 * 1_000;

/** The columns that a caller's fields change. */
export function columnsOf(runtime: SubscriptionRuntime, before: Row | null, fields: SubscriptionFields): Partial<Row> {
  const { name, url, events, headers } = fields;
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: events === null ? null : JSON.stringify(events) }),
    ...(headers !== undefined && { headers: JSON.stringify(unmaskedHeaders(headers, headersOf(before))) }),
    ...keyColumns(runtime.now, before, fields),
  };
}

const headersOf = (row: Row | null): Record<string, string> =>
  row === null ? {} : (JSON.parse(row.headers) as Record<string, string>);

/** A changed key goes on beside the new one for a while, so that a receiver may learn the new one at its leisure. */
function keyColumns(now: number, before: Row | null, fields: SubscriptionFields): Partial<Row> {
  const { signatureKey, rotationOverlap = defaultRotationOverlap } = fields;
  if (signatureKey === undefined || signatureKey === before?.signature_key) return {};
  const previous = rotationOverlap > 0 ? (before?.signature_key ?? null) : null;
  return {
    signature_key: signatureKey,
    previous_key: previous,
    previous_key_until: previous === null ? null : now + rotationOverlap,
  };
}

/**
 * Stores a new subscription, still without a subscriber's state.
 * @throws Failure `invalid_request` without a URL
 */
export function createSubscription(
  runtime: SubscriptionRuntime,
  fields: SubscriptionFields,
  start: FeedPosition,
): void {
  if (fields.url === undefined) throw new Failure('invalid_request', 'A new webhook subscription needs a url.');
  const deliveries = runtime.nextKey();
  const row: Row = {
    name: null,
    url: fields.url,
    events: null,
    headers: '{}',
    signature_key: null,
    previous_key: null,
    previous_key_until: null,
    cursor: JSON.stringify(start),
    ahead: '[]',
    // Above every generation of a subscription that was deleted under the same id.
    generation: deliveries,
    deliveries,
    state: 'Unsubscribed',
    created_at: runtime.now,
    deleted: 0,
    ...columnsOf(runtime, null, fields),
  };
  runtime.save(row);
}
