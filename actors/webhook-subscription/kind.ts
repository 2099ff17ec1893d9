import { defineKind } from '../runtime/kind.ts';
import { subscriptionTimer, webhookSubscriptionHandlers } from './commands.ts';
import { subscriptionContradictions } from './contradictions.ts';
import type { WebhookSubscriptionCommands } from './contract.ts';
import { webhookDeliveryReader } from './delivery-reader.ts';
import { webhookReader } from './reader.ts';
import { laggingSubscriptions, prunableSubscriptions, subscriptionReads } from './reads.ts';
import { subscriptions, webhookAttempts, webhookDeliveries } from './tables.ts';

/** One receiver's wish for events: where it stands in the feed, how its endpoint does, what is to be delivered again. */
export const webhookSubscriptionKind = defineKind<WebhookSubscriptionCommands>()({
  name: 'webhook-subscription',
  machine: 'webhook-subscription',
  table: subscriptions,
  tables: [webhookDeliveries, webhookAttempts],
  owned: [{ machine: 'webhook-delivery', table: webhookDeliveries, column: 'machine' }],
  // One that was never made is as good as deleted.
  blank: {
    name: null,
    url: '',
    events: null,
    headers: '{}',
    signature_key: null,
    previous_key: null,
    previous_key_until: null,
    cursor: '[]',
    ahead: '[]',
    generation: 0,
    deliveries: 0,
    missed: 0,
    state: 'Unsubscribed',
    created_at: 0,
    deleted: 1,
  },
  reads: subscriptionReads,
  load: () => null,
  handlers: webhookSubscriptionHandlers,
  onTimer: subscriptionTimer,
  pruning: { period: 'deliveries', command: 'deliveries.prune', actors: prunableSubscriptions },
  following: { command: 'events.forget', lagging: laggingSubscriptions },
  contradictions: subscriptionContradictions,
  readers: { webhooks: webhookReader, webhookDeliveries: webhookDeliveryReader },
});
