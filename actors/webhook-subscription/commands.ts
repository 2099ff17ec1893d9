import type { WebhookSubscriptionEvent } from '#machines/webhook-subscription.ts';
import { type CommandHandler, defineActor } from '../runtime/definition.ts';
import { Failure } from '../errors.ts';
import type { WebhookSubscriptionCommands } from './contract.ts';
import { Deliveries } from './deliveries.ts';
import { columnsOf, createSubscription } from './fields.ts';
import { existing, saveSubscription, type SubscriptionMemory, type SubscriptionRuntime } from './memory.ts';
import { shownState, storedStateOf, webhookSubscriptionJson } from './representation.ts';

type Handlers = {
  [T in keyof WebhookSubscriptionCommands]: CommandHandler<
    SubscriptionMemory,
    WebhookSubscriptionCommands[T]['body'],
    WebhookSubscriptionCommands[T]['result']
  >;
};

type RecordBody = WebhookSubscriptionCommands['deliveries.record']['body'];

const handlers: Handlers = {
  'webhook.subscribe'(runtime, { start, ...fields }) {
    if (runtime.memory.row === null) createSubscription(runtime, fields, start);
    else saveSubscription(runtime, columnsOf(runtime, runtime.memory.row, fields));
    stepAndFlush(runtime, { type: 'subscribe' });
    return { subscription: webhookSubscriptionJson(existing(runtime)) };
  },

  'webhook.update'(runtime, fields) {
    const row = existing(runtime);
    saveSubscription(runtime, columnsOf(runtime, row, fields));
    stepAndFlush(runtime, { type: 'subscribe' });
    return { subscription: webhookSubscriptionJson(row) };
  },

  'webhook.unsubscribe'(runtime) {
    const row = existing(runtime);
    stepAndFlush(runtime, { type: 'unsubscribe' });
    return { subscription: webhookSubscriptionJson(row) };
  },

  'webhook.delete'(runtime) {
    const { key } = existing(runtime);
    stepAndFlush(runtime, { type: 'unsubscribe' });
    // Its deliveries belong to nobody from here on: retention takes them away, a few at a time.
    runtime.change({ table: 'webhook_subscription', op: 'delete', key });
    runtime.memory.row = null;
    return null;
  },

  'deliveries.record'(runtime, body) {
    const { row } = runtime.memory;
    if (row === null) return { state: 'Unsubscribed' };
    // Of a subscription that was deleted under the same id: none of its events are this one's.
    if (body.generation < row.deliveries) return { state: shownState(row.state) };
    const deliveries = new Deliveries(runtime, row.deliveries);
    for (const { attempt, outcome, ...ref } of body.results) deliveries.attempted(ref, attempt, outcome);
    const current = body.generation === row.generation;
    if (current) for (const ref of body.deferred) deliveries.defer(ref);
    for (const event of eventsOf(body, current)) step(runtime, event, deliveries);
    deliveries.flush();
    if (current && body.cursor !== null) {
      saveSubscription(runtime, { cursor: JSON.stringify(body.cursor), ahead: JSON.stringify(body.ahead) });
    }
    return { state: shownState(row.state) };
  },

  'webhook.replay-from'(runtime, { cursor }) {
    const { generation } = existing(runtime);
    saveSubscription(runtime, { cursor: JSON.stringify(cursor), ahead: '[]', generation: generation + 1 });
    return null;
  },

  'webhook.replay-delivery'(runtime, { deliveryId }) {
    const { deliveries: subscription } = existing(runtime);
    const row = runtime.reads.webhookDeliveryById(subscription, deliveryId);
    if (row === null) throw new Failure('not_found', `The subscription has no delivery ${deliveryId}.`);
    const deliveries = new Deliveries(runtime, subscription);
    deliveries.replay(row);
    deliveries.flush();
    return null;
  },
};

/** What a record means for the endpoint: at most one event of each kind, so that a step costs the same for any size. */
function eventsOf({ results, caughtUp }: RecordBody, current: boolean): WebhookSubscriptionEvent[] {
  const attempts = results.filter(({ outcome }) => outcome.kind !== 'expired');
  const events: WebhookSubscriptionEvent[] = [];
  const lastSuccess = attempts.findLastIndex(({ outcome }) => outcome.kind === 'delivered');
  if (lastSuccess >= 0) events.push({ type: 'deliveries.succeeded' });
  const failures = attempts.slice(lastSuccess + 1).map(({ outcome }) => outcome);
  if (failures.length > 0) {
    const jitter = failures.reduce((last, outcome) => (outcome.kind === 'failed' ? outcome.jitter : last), 0.5);
    const waits = failures.map((outcome) => (outcome.kind === 'throttled' ? outcome.retryAfter : 0));
    const retryAfter = Math.max(...waits);
    events.push({ type: 'deliveries.failed', count: failures.length, jitter, retryAfter });
  }
  if (attempts.some(({ outcome }) => outcome.kind === 'gone')) events.push({ type: 'endpoint.gone' });
  if (current) events.push({ type: caughtUp ? 'caught-up' : 'behind' });
  return events;
}

/** Steps the subscription; the caller flushes `deliveries`. An event that its state does not know changes nothing. */
function step(runtime: SubscriptionRuntime, event: { type: string }, deliveries: Deliveries): void {
  const { changed, value, effects } = runtime.step(event);
  if (!changed) return;
  const state = storedStateOf(value);
  if (state !== existing(runtime).state) saveSubscription(runtime, { state });
  for (const effect of effects) {
    if (effect.type === 'releaseAll') deliveries.releaseAll();
    if (effect.type === 'announce') announce(runtime);
  }
}

function stepAndFlush(runtime: SubscriptionRuntime, event: { type: string }): void {
  const deliveries = new Deliveries(runtime, existing(runtime).deliveries);
  step(runtime, event, deliveries);
  deliveries.flush();
}

/** Emits `webhook.updated`. The configured headers may hold secrets: they are no part of it. */
function announce(runtime: SubscriptionRuntime): void {
  const { headers: _, ...shown } = webhookSubscriptionJson(existing(runtime));
  runtime.emit('webhook.updated', shown);
}

/** One receiver's wish for events: where it stands in the feed, how its endpoint does, what is to be delivered again. */
export const webhookSubscriptionDefinition = defineActor<SubscriptionMemory>({
  kind: 'webhook-subscription',
  machine: 'webhook-subscription',
  load: (reads, key) => ({ row: reads.webhookSubscription(key) }),
  handlers,
  onTimer(runtime, subject, event) {
    const { row } = runtime.memory;
    if (row === null) return;
    if (subject === runtime.actor.key) {
      stepAndFlush(runtime, event);
      return;
    }
    const delivery = runtime.reads.webhookDeliveryByKey(subject);
    if (delivery === null || delivery.subscription !== row.deliveries) return;
    const deliveries = new Deliveries(runtime, row.deliveries);
    deliveries.step(delivery, event);
    deliveries.flush();
  },
});
