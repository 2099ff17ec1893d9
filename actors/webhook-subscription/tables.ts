import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface SubscriptionRow extends ActorRow {
  name: string | null;
  url: string;
  /** JSON list of event types; null: all. */
  events: string | null;
  /** JSON object; values may be secrets. */
  headers: string;
  /** A secret. */
  signature_key: string | null;
  previous_key: string | null;
  previous_key_until: number | null;
  /** JSON of a feed position. */
  cursor: string;
  /** JSON list of feed keys behind the cursor that are accounted for all the same. */
  ahead: string;
  generation: number;
  /** What its deliveries carry as `subscription`: another one after a deletion; 0 while it is deleted. */
  deliveries: number;
  /** Events that retention took before they were sent. */
  missed: number;
  state: string;
  created_at: number;
  deleted: number;
}

export interface WebhookDeliveryRow {
  key: number;
  /** Key of the subscription's actor. */
  actor: number;
  /** The subscription's `deliveries`. */
  subscription: number;
  feed_key: number;
  lane: number;
  status: 'delivered' | 'scheduled' | 'dead';
  /** 0 while it backs off. */
  ready: number;
  /** The stored state of its machine; null for one that never failed. */
  machine: string | null;
  at: number;
}

export interface WebhookAttemptRow {
  key: number;
  delivery: number;
  at: number;
  duration_ms: number;
  status: number | null;
  reason: string | null;
  answer: string;
}

export const subscriptions = new Table<SubscriptionRow>(
  'webhook_subscription',
  ['id'],
  ['headers', 'signature_key', 'previous_key'],
);
export const webhookDeliveries = new Table<WebhookDeliveryRow>('webhook_delivery');
export const webhookAttempts = new Table<WebhookAttemptRow>('webhook_attempt');
