import type { WebhookSubscriptionJson } from '../representation.ts';
import { maskedHeaders } from '../secrets.ts';
import type { SubscriptionRow } from './tables.ts';
import { type SubscriptionState, type WebhookEventType, webhookEventTypes } from './contract.ts';

/** What the `state` column holds: the contract's states, and `probing` apart from `delivering`. */
export type StoredSubscriptionState = SubscriptionState | 'probing';

/** The innermost state of the machine's value. */
export function storedStateOf(value: unknown): StoredSubscriptionState {
  let state = value;
  while (typeof state === 'object' && state !== null) [state] = Object.values(state);
  return state as StoredSubscriptionState;
}

/** A stored state as dispatchers and the API see it. */
export const shownState = (stored: string): SubscriptionState =>
  stored === 'probing' ? 'delivering' : (stored as SubscriptionState);

/** The types that a subscription wants. */
export const wantedTypes = (row: Readonly<SubscriptionRow>): readonly WebhookEventType[] =>
  row.events === null ? webhookEventTypes : (JSON.parse(row.events) as WebhookEventType[]);

/** A stored subscription as the API shows it: its signature keys are no part of it, other secrets are masked. */
export function webhookSubscriptionJson(row: Readonly<SubscriptionRow>): WebhookSubscriptionJson {
  const state = shownState(row.state);
  return {
    id: row.id,
    ...(row.name !== null && { name: row.name }),
    url: row.url,
    events: [...wantedTypes(row)],
    headers: maskedHeaders(JSON.parse(row.headers) as Record<string, string>),
    status: state === 'Unsubscribed' ? 'Unsubscribed' : 'Subscribed',
    state,
    ...(row.missed > 0 && { missed_events: row.missed }),
  };
}
