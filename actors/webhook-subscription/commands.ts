import type { WebhookSubscriptionEvent } from '#machines/webhook-subscription.ts';
import type { EventOf } from '#machines/registry.ts';
import type { Handlers } from '../runtime/kind.ts';
import { webhookAttempts, webhookDeliveries } from './tables.ts';
import { Failure } from '../errors.ts';
import type { WebhookSubscriptionJson } from '../representation.ts';
import { feedKeyOf } from '../ids.ts';
import type { DeliveryRef, Subscribing, WebhookSubscriptionCommands } from './contract.ts';
import { Deliveries } from './deliveries.ts';
import { columnsOf, createSubscription, startColumns } from './fields.ts';
import { timers } from '../store/tables.ts';
import { existing, saveSubscription, type SubscriptionRuntime } from './memory.ts';
import { columnsOfProgress, isAccountedFor, joined, progressOf } from './progress.ts';
import { shownState, storedStateOf, wantedTypes, webhookSubscriptionJson } from './representation.ts';

type RecordBody = WebhookSubscriptionCommands['deliveries.record']['body'];

export const webhookSubscriptionHandlers: Handlers<SubscriptionRuntime, WebhookSubscriptionCommands> = {
  'webhook.subscribe'(runtime, body) {
    const isNew = runtime.row.deleted === 1;
    if (isNew) createSubscription(runtime, body);
    return subscribe(runtime, body, isNew);
  },

  'webhook.update'(runtime, body) {
    existing(runtime);
    return subscribe(runtime, body, false);
  },

  'webhook.unsubscribe'(runtime) {
    const row = existing(runtime);
    stepAndFlush(runtime, { type: 'unsubscribe' });
    return { subscription: webhookSubscriptionJson(row) };
  },

  'webhook.delete'(runtime) {
    existing(runtime);
    stepAndFlush(runtime, { type: 'unsubscribe' });
    // Its deliveries belong to nobody from here on: pruning takes them away, a few at a time. So do its secrets, at once.
    saveSubscription(runtime, { deleted: 1, deliveries: 0, headers: '{}', signature_key: null, previous_key: null });
    return null;
  },

  'deliveries.record'(runtime, body) {
    const { row } = runtime;
    if (row.deleted === 1) return { state: 'Unsubscribed' };
    // Of a subscription that was deleted under the same id: none of its events are this one's.
    if (body.generation < row.deliveries) return { state: shownState(row.state) };
    const deliveries = new Deliveries(runtime, row.deliveries);
    const progress = progressOf(row);
    const isKnown = ({ feedKey }: DeliveryRef): boolean => isAccountedFor(progress, feedKey);
    for (const { attempt, outcome, ...ref } of body.results) {
      // The runner of an owner that was replaced may not know that the event is over.
      if (outcome.kind !== 'delivered' && isKnown(ref) && deliveries.isOver(ref)) deliveries.noted(ref, attempt);
      else deliveries.attempted(ref, attempt, outcome);
    }
    const current = body.generation === row.generation;
    if (current) for (const ref of body.deferred) if (!isKnown(ref) || !deliveries.isOver(ref)) deliveries.defer(ref);
    for (const event of eventsOf(body, current)) step(runtime, event, deliveries);
    deliveries.flush();
    if (current && body.cursor !== null) {
      saveSubscription(runtime, columnsOfProgress(joined({ cursor: body.cursor, ahead: body.ahead }, progress)));
    }
    return { state: shownState(row.state) };
  },

  'webhook.replay-from'(runtime, { cursor }) {
    const { generation } = existing(runtime);
    saveSubscription(runtime, { cursor: JSON.stringify(cursor), ahead: '[]', generation: generation + 1 });
    runtime.signal('webhooks');
    return null;
  },

  'webhook.replay-delivery'(runtime, { deliveryId }) {
    const { deliveries: subscription } = existing(runtime);
    const feedKey = feedKeyOf(runtime.actor.id, deliveryId);
    const row = feedKey === null ? null : runtime.reads.delivery(subscription, feedKey);
    if (row === null) throw new Failure('not_found', `The subscription has no delivery ${deliveryId}.`);
    const deliveries = new Deliveries(runtime, subscription);
    deliveries.replay(row);
    if (deliveries.flush()) runtime.signal('webhooks');
    return null;
  },

  'events.forget'(runtime, { shard, before }) {
    const { row, reads } = runtime;
    const progress = progressOf(row);
    const from = progress.cursor[shard] ?? 0;
    if (row.deleted === 1 || from >= before - 1) return null;
    const { keys, upTo } = reads.wanted(shard, from, before, wantedTypes(row));
    const missed = row.missed + keys.filter((key) => !progress.ahead.includes(key)).length;
    const cursor = Array.from({ length: Math.max(shard + 1, progress.cursor.length) }, (_, each) =>
      each === shard ? upTo : (progress.cursor[each] ?? 0),
    );
    // What its runner has sent and not recorded yet still counts: it is of the same generation.
    saveSubscription(runtime, { ...columnsOfProgress(joined({ cursor, ahead: [] }, progress)), missed });
    runtime.signal('webhooks');
    const isTold = upTo === before - 1 && missed > 0 && row.state !== 'Unsubscribed';
    if (isTold) announce(runtime);
    return null;
  },

  'deliveries.prune'(runtime, { before }) {
    const { reads } = runtime;
    const old = reads.prunable(runtime.actor.key, before, prunedAtOnce);
    for (const key of old) {
      for (const attempt of reads.attemptsOf(key)) runtime.change(webhookAttempts.remove(attempt));
      for (const timer of reads.timersOf(key)) runtime.change(timers.remove(timer));
      runtime.change(webhookDeliveries.remove(key));
    }
    return null;
  },
};

function subscribe(
  runtime: SubscriptionRuntime,
  body: Subscribing,
  isNew: boolean,
): { subscription: WebhookSubscriptionJson } {
  const { row } = runtime;
  const fromNow = isNew || (row.state === 'Unsubscribed' && body.resume !== true);
  saveSubscription(runtime, {
    ...columnsOf(runtime, row, body),
    ...(fromNow && startColumns(runtime.nextKey(), body.start)),
  });
  stepAndFlush(runtime, { type: 'subscribe' });
  return { subscription: webhookSubscriptionJson(row) };
}

/** Deliveries that one command prunes: each takes its attempts along. */
const prunedAtOnce = 200;

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
function step(runtime: SubscriptionRuntime, event: EventOf<'webhook-subscription'>, deliveries: Deliveries): void {
  const { changed, value, effects } = runtime.step(event);
  if (!changed) return;
  const state = storedStateOf(value);
  if (state !== existing(runtime).state) saveSubscription(runtime, { state });
  for (const effect of effects) {
    if (effect.type === 'releaseAll') {
      deliveries.releaseAll();
      runtime.signal('webhooks');
    }
    if (effect.type === 'announce') announce(runtime);
  }
}

function stepAndFlush(runtime: SubscriptionRuntime, event: EventOf<'webhook-subscription'>): void {
  const deliveries = new Deliveries(runtime, existing(runtime).deliveries);
  step(runtime, event, deliveries);
  deliveries.flush();
  runtime.signal('webhooks');
}

/** Emits `webhook.updated`. The configured headers may hold secrets: they are no part of it. */
function announce(runtime: SubscriptionRuntime): void {
  const { headers: _, ...shown } = webhookSubscriptionJson(existing(runtime));
  runtime.emit('webhook.updated', shown);
}

/** A durable timer of the subscription, or of one of its deliveries, has fired. */
export function subscriptionTimer(
  runtime: SubscriptionRuntime,
  subject: number,
  event: { type: `xstate.after.${string}` },
): void {
  const { row } = runtime;
  if (row.deleted === 1) return;
  if (subject === runtime.actor.key) {
    stepAndFlush(runtime, event);
    return;
  }
  const delivery = runtime.reads.deliveryByKey(subject);
  if (delivery === null || delivery.subscription !== row.deliveries) return;
  const deliveries = new Deliveries(runtime, row.deliveries);
  deliveries.step(delivery, event);
  deliveries.flush();
  runtime.signal('webhooks');
}
