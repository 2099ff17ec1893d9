import { deliveryId } from '#actors/ids.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import type {
  AttemptRecord,
  DeliveryOutcome,
  SubscriptionFields,
  SubscriptionState,
  SubscriptionWork,
  WebhookSubscriptionCommands,
} from '#actors/webhook-subscription/contract.ts';
import { webhookEventTypes } from '#actors/webhook-subscription/contract.ts';
import { type ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { uuid } from './support.ts';
import { itemsOf } from '../_support/pages.ts';

type RecordBody = WebhookSubscriptionCommands['deliveries.record']['body'];
export type Item = ReturnType<OpenStoreReader['webhookDeliveries']['read']>['items'][number];

export const delivered: DeliveryOutcome = { kind: 'delivered' };
export const failed: DeliveryOutcome = { kind: 'failed', jitter: 0.5 };
export const gone: DeliveryOutcome = { kind: 'gone' };
export const throttled = (retryAfter: number): DeliveryOutcome => ({ kind: 'throttled', retryAfter });

/** A subscription and what a dispatcher would do with it, step by step. */
export class Subscriber {
  readonly id = uuid();
  readonly system: ActorSystem;
  readonly reader: OpenStoreReader;

  constructor(system: ActorSystem) {
    this.system = system;
    this.reader = system.reader();
  }

  subscribe(fields: SubscriptionFields & { start?: FeedPosition; resume?: boolean } = {}) {
    const body = { url: 'https://receiver.test/hook', start: this.reader.feed.end(), ...fields };
    return this.system.commands().send('webhook-subscription', this.id, 'webhook.subscribe', body);
  }

  send<T extends 'webhook.unsubscribe' | 'webhook.delete'>(type: T) {
    return this.system.commands().send('webhook-subscription', this.id, type, null as never);
  }

  update(fields: SubscriptionFields & { resume?: boolean }) {
    const body = { start: this.reader.feed.end(), ...fields };
    return this.system.commands().send('webhook-subscription', this.id, 'webhook.update', body);
  }

  replay(deliveryKey: Item | string) {
    const id = typeof deliveryKey === 'string' ? deliveryKey : this.deliveryId(deliveryKey);
    return this.system.commands().send('webhook-subscription', this.id, 'webhook.replay-delivery', { deliveryId: id });
  }

  work(): SubscriptionWork {
    return this.reader.webhookDeliveries.subscriptions(this.system.clock.now()).find(({ id }) => id === this.id)!;
  }

  heads() {
    return this.reader.webhookDeliveries.heads(this.work().key);
  }

  /** Wanted events after the cursor. */
  next(limit = 100_000): Item[] {
    const { cursor, types } = this.work();
    return this.reader.webhookDeliveries.read(cursor, types, limit).items;
  }

  deliveryId(item: { feedKey: number }): string {
    return deliveryId(this.id, item.feedKey);
  }

  attempt(status: number | null = 200): AttemptRecord {
    const reason = status === null ? 'timeout' : null;
    return { at: this.system.clock.now(), durationMs: 12.4, status, reason, answer: 'thanks' };
  }

  /** Records what came of events; the cursor stays unless `more` moves it. */
  async record(results: [Item, DeliveryOutcome][], more: Partial<RecordBody> = {}): Promise<SubscriptionState> {
    const body: RecordBody = {
      generation: this.work().generation,
      results: results.map(([{ feedKey, lane }, outcome]) => ({ feedKey, lane, outcome, attempt: this.attempt() })),
      deferred: [],
      cursor: null,
      ahead: [],
      caughtUp: false,
      ...more,
    };
    const sent = this.system.commands().send('webhook-subscription', this.id, 'deliveries.record', body);
    return (await sent).state;
  }

  /** Fails attempts of an event until the endpoint counts as failing. */
  breakDown(items: Item[]): Promise<SubscriptionState> {
    const ten = Array.from({ length: 10 }, (_, n): [Item, DeliveryOutcome] => [items[n % items.length]!, failed]);
    return this.record(ten);
  }

  /** Status of each delivery, oldest first. */
  statuses(): string[] {
    const page = this.reader.webhooks.deliveries(this.id, { limit: 1_000, from: null }, {});
    return itemsOf(page)
      .map(({ status }) => status)
      .reverse();
  }

  async advance(ms: number): Promise<void> {
    this.system.clock.advance(ms);
    await this.system.settle();
  }
}

/** Two wanted events for each text: `message.created` and, once for all of them, `conversation.updated`. */
export async function ingest(system: ActorSystem, contact: string, texts: string[], prefix?: string): Promise<void> {
  await system
    .commands()
    .send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, texts, prefix));
}

/** A channel, and a subscriber of new messages that has seen everything so far. */
export async function subscriberOf(system: ActorSystem, fields: SubscriptionFields = {}): Promise<Subscriber> {
  await connectTestChannel(system.commands());
  const subscriber = new Subscriber(system);
  await subscriber.subscribe({ events: [webhookEventTypes[0]], ...fields });
  return subscriber;
}

/** A subscriber with new messages of one conversation. */
export async function withMessages(
  system: ActorSystem,
  texts: string[],
): Promise<{ subscriber: Subscriber; items: Item[] }> {
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', texts);
  return { subscriber, items: subscriber.next() };
}
