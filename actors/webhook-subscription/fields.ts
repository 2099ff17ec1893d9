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
export function columnsOf(runtime: SubscriptionRuntime, before: Row, fields: SubscriptionFields): Partial<Row> {
  const { name, url, events, headers } = fields;
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: events === null ? null : JSON.stringify(events) }),
    ...(headers !== undefined && { headers: JSON.stringify(unmaskedHeaders(headers ?? {}, headersOf(before))) }),
    ...keyColumns(runtime.now, before, fields),
  };
}

const headersOf = ({ headers }: Row): Record<string, string> => JSON.parse(headers) as Record<string, string>;

/** A changed key goes on beside the new one for a while, so that a receiver may learn the new one at its leisure. */
function keyColumns(now: number, before: Row, fields: SubscriptionFields): Partial<Row> {
  const { signatureKey, rotationOverlap = defaultRotationOverlap } = fields;
  if (signatureKey === undefined || signatureKey === before.signature_key) return {};
  const goesOn = signatureKey !== null && rotationOverlap > 0;
  const previous = goesOn ? before.signature_key : null;
  return {
    signature_key: signatureKey,
    previous_key: previous,
    previous_key_until: previous === null ? null : now + rotationOverlap,
  };
}

/**
 * Stores a new subscription, still without what the caller's fields and its start make of it.
 * @throws Failure `invalid_request` without a URL
 */
export function createSubscription(runtime: SubscriptionRuntime, { url }: SubscriptionFields): void {
  if (url === undefined) throw new Failure('invalid_request', 'A new webhook subscription needs a url.');
  runtime.save({
    name: null,
    url,
    events: null,
    headers: '{}',
    signature_key: null,
    previous_key: null,
    previous_key_until: null,
    state: 'Unsubscribed',
    created_at: runtime.now,
    deleted: 0,
  });
}

/**
 * The columns of a subscription that has nothing to deliver from before a position. `key`: a new one, which its
 * deliveries carry from now on; those that it had belong to nobody, and pruning takes them away.
 */
export const startColumns = (key: number, start: FeedPosition) => ({
  cursor: JSON.stringify(start),
  ahead: '[]',
  // Above every generation before it under the same id.
  generation: key,
  deliveries: key,
  missed: 0,
});
