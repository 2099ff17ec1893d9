import type { WebhookSubscriptionJson } from '#actors/representation.ts';
import { type WebhookEventType, webhookEventTypes } from '#actors/webhook-subscription/contract.ts';
import type { Clients } from './clients.ts';
import { positionOf } from './witness.ts';
import type { World } from './world.ts';

/** A subscription that was acknowledged. */
export interface Subscribed {
  id: string;
  /** Who takes its events: a name of a host. Nobody else's events go there. */
  receiver: string;
  types: readonly WebhookEventType[];
  /** Events with this index or a later one are due; earlier ones only from `asked` on. */
  from: number;
  /** No event before this index may come. */
  asked: number;
  /** Events were asked for once more, so that they may come again. */
  replayed: boolean;
}

const mostSubscriptions = 4;

/** Those who subscribe to webhooks, change what they subscribed to, and look at what came of it. */
export class WebhookUsers {
  readonly subscribed: Subscribed[] = [];
  readonly #world: World;
  readonly #clients: Clients;
  #made = 0;

  constructor(world: World, clients: Clients) {
    this.#world = world;
    this.#clients = clients;
  }

  subscribe(): void {
    if (this.#made === mostSubscriptions) return;
    const { random } = this.#world;
    const receiver = `receiver-${++this.#made}.example`;
    const types = random.chance(0.4) ? null : webhookEventTypes.filter(() => random.chance(0.5));
    const events = types === null || types.length === 0 ? null : types;
    const asked = this.#world.knownToAll;
    this.#clients.ask({
      name: `subscribe ${receiver}`,
      path: '/webhooks.subscribe',
      body: { url: `https://${receiver}/events`, name: receiver, events, signature_key: 'a-key-of-the-receiver' },
      inDoubt: 'key',
      acknowledged: ({ body }) => {
        const { id } = body as WebhookSubscriptionJson;
        if (this.subscribed.some((other) => other.id === id)) return;
        const from = this.#world.witness.seen.length;
        this.subscribed.push({ id, receiver, types: events ?? webhookEventTypes, from, asked, replayed: false });
      },
    });
  }

  /** Moves to another address of the same receiver, or changes nothing of meaning. */
  update(): void {
    const { random } = this.#world;
    const subscription = random.pick(this.subscribed);
    if (subscription === undefined) return;
    const { id, receiver } = subscription;
    const url = `https://${receiver}/events-${random.int(3)}`;
    this.#clients.ask({
      name: `update ${receiver}`,
      path: '/webhooks.update',
      body: { id, resume: true, ...(random.chance(0.5) ? { url } : { headers: { 'X-Round': String(random.int(9)) } }) },
      inDoubt: random.pick(['key', 'again', 'give up']),
    });
  }

  /** Has everything sent again after an event, up to which everything has come. */
  replay(): void {
    const { random } = this.#world;
    const subscription = random.pick(this.subscribed);
    if (subscription === undefined) return;
    const cursor = this.#replayable(subscription);
    if (cursor === undefined) return;
    subscription.replayed = true;
    this.#clients.ask({
      name: `replay ${subscription.receiver}`,
      path: '/webhooks.replay',
      body: { id: subscription.id, after: cursor },
      inDoubt: random.pick(['key', 'give up']),
    });
  }

  /** Looks, and has a sample sent. */
  look(): void {
    const { random } = this.#world;
    const subscription = random.pick(this.subscribed);
    if (subscription === undefined) return;
    const path = random.pick(['/webhooks.info', '/webhooks.deliveries']);
    const { id, receiver } = subscription;
    this.#clients.ask({ name: `look at ${receiver}`, path, body: { id }, inDoubt: 'give up' });
  }

  /** Receivers that said they were gone, or were given up, are subscribed again where they stood. */
  resume(): void {
    for (const { id, receiver } of this.subscribed) {
      if (this.#world.store.webhooks.find(id)?.state === 'idle') continue;
      this.#clients.ask({
        name: `resume ${receiver}`,
        path: '/webhooks.subscribe',
        body: { id, url: `https://${receiver}/events`, resume: true },
        inDoubt: 'again',
      });
    }
  }

  /** The cursor of a receipt before which nothing is missing: a replay from any other would leave something out. */
  #replayable({ receiver, types, from }: Subscribed): string | undefined {
    const { random, receivers, witness } = this.#world;
    const receipts = receivers.receipts.get(receiver) ?? [];
    const receipt = random.pick(receipts);
    if (receipt === undefined) return undefined;
    const position = positionOf(receipt.cursor);
    const taken = new Set(receipts.map(({ text }) => text));
    const missing = witness.seen.slice(from).some(({ event, shard, place, text }) => {
      const isWanted = (types as readonly string[]).includes(event.type);
      return isWanted && place <= (position[shard] ?? 0) && !taken.has(text);
    });
    return missing ? undefined : receipt.cursor;
  }
}
