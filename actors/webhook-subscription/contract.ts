import type { EventType, WebhookSubscriptionJson } from '../representation.ts';
import type { FeedPosition } from '../journal/feed.ts';
import type { PassedPositions } from '../runtime/kind.ts';

/** The event types that a webhook may carry (docs/api.md, "Events"). */
export const webhookEventTypes = [
  'message.created',
  'message.updated',
  'conversation.updated',
  'channel.updated',
] as const satisfies readonly EventType[];
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** What a caller says about a subscription; absent keeps what is stored, null clears. */
export interface SubscriptionFields {
  name?: string | null;
  url?: string;
  /** Null: all types. */
  events?: WebhookEventType[] | null;
  headers?: Record<string, string> | null;
  /** Cleared, nothing is signed from then on. */
  signatureKey?: string | null;
  /** How long the key before stays valid when `signatureKey` changes it, in ms. */
  rotationOverlap?: number;
}

/** One call to the receiver, as it is stored. */
export interface AttemptRecord {
  /** Epoch ms at which the call began. */
  at: number;
  durationMs: number;
  /** HTTP status, null without an answer. */
  status: number | null;
  /** Why there was no answer, from the closed list of the outgoing client; null with one. */
  reason: string | null;
  /** The first 1 KiB of the answer's body. */
  answer: string;
}

/**
 * What came of an attempt: `delivered` any 2xx, `gone` 410, `throttled` 429 or 503 with Retry-After (`retryAfter` in
 * ms), `failed` everything else, `expired` no attempt: the event is no longer kept. `jitter` in [0, 1) is chosen by the
 * dispatcher, so that the machines stay pure.
 */
export type DeliveryOutcome =
  | { kind: 'delivered' }
  | { kind: 'failed'; jitter: number }
  | { kind: 'throttled'; retryAfter: number }
  | { kind: 'gone' }
  | { kind: 'expired' };

/** An event of the feed for one subscription. */
export interface DeliveryRef {
  /** Key of the feed row. The delivery's id (and `webhook-id`) is `deliveryId(subscription, feedKey)`. */
  feedKey: number;
  /** Key of the feed row's subject (the conversation's or channel's actor): deliveries of one lane keep their order. */
  lane: number;
}

/** What (re)subscribing takes. */
export interface Subscribing extends SubscriptionFields {
  /** Where it starts that is new, or was unsubscribed: what it had to deliver before is forgotten. */
  start: FeedPosition;
  /** One that was unsubscribed goes on from where it stood. */
  resume?: boolean;
}

/** The commands of a webhook subscription: type → body and result. */
export type WebhookSubscriptionCommands = {
  /** Creates, or changes and (re)subscribes. */
  'webhook.subscribe': { body: Subscribing; result: { subscription: WebhookSubscriptionJson } };
  /** Changes and (re)subscribes. @throws Failure `not_found` */
  'webhook.update': { body: Subscribing; result: { subscription: WebhookSubscriptionJson } };
  /** Idempotent. @throws Failure `not_found` */
  'webhook.unsubscribe': { body: null; result: { subscription: WebhookSubscriptionJson } };
  /** Removes it with its deliveries and attempts. @throws Failure `not_found` */
  'webhook.delete': { body: null; result: null };
  /**
   * What a dispatcher did, in one commit: attempts with their outcomes, and events put behind a failed one of their
   * lane without an attempt. `cursor`: every event up to it is accounted for (delivered, scheduled or dead); null moves
   * nothing. `ahead`: the feed keys behind the cursor that are accounted for all the same, because another lane was
   * faster (at most 512; stored with the cursor, emptied when the cursor is set by a replay). What an earlier record has
   * accounted for stays so: a late failure of what is delivered or dead is kept as an attempt. A record of another
   * `generation` than the stored one keeps its attempts and does not move the cursor.
   * `caughtUp`: nothing was left to read. Idempotent by the commands' ids only.
   */
  'deliveries.record': {
    body: {
      generation: number;
      /** `attempt` null: of outcome `expired` only. */
      results: (DeliveryRef & { attempt: AttemptRecord | null; outcome: DeliveryOutcome })[];
      deferred: DeliveryRef[];
      cursor: FeedPosition | null;
      /** Counts when `cursor` is not null. */
      ahead: number[];
      caughtUp: boolean;
    };
    /** `state`: the machine's state inside Subscribed after the record, or `Unsubscribed`. */
    result: { state: SubscriptionState };
  };
  /** Moves the cursor back or forth and raises the generation. @throws Failure `not_found` */
  'webhook.replay-from': { body: { cursor: FeedPosition }; result: null };
  /** Removes deliveries that are older than a key, or whose subscription was deleted; a few at a time. */
  'deliveries.prune': { body: { before: number }; result: null };
  /**
   * Events of a shard before a position are about to be forgotten: counts those among them that it has not sent, and goes
   * on behind them, a bounded number at a time.
   */
  'events.forget': { body: PassedPositions; result: null };
  /** Schedules a delivered or dead delivery again, due at once. @throws Failure `not_found` */
  'webhook.replay-delivery': { body: { deliveryId: string }; result: null };
};

/** The states of the subscription machine, as dispatchers and `webhooks.info` see them. */
export type SubscriptionState = 'idle' | 'delivering' | 'backingOff' | 'suspended' | 'Unsubscribed';

/** What a dispatcher needs of a subscription. */
export interface SubscriptionWork {
  id: string;
  /** Names its deliveries: what `heads` takes. */
  key: number;
  url: string;
  types: readonly WebhookEventType[];
  headers: Record<string, string>;
  /** Current key first, then the one before while it is still valid at the time of asking. Empty: unsigned. */
  signatureKeys: string[];
  /** Epoch ms until when the key before is valid; null without one. */
  signatureKeysUntil: number | null;
  state: SubscriptionState;
  /** The endpoint is failing, and one delivery may be tried: `state` is `delivering`. */
  probing: boolean;
  cursor: FeedPosition;
  /** Feed keys behind the cursor that a restart leaves out: they are accounted for. */
  ahead: number[];
  generation: number;
  /** Events that retention took before they were sent. */
  missed: number;
}

/** A delivery that failed at least once, or waits behind one that did. */
export interface ScheduledDelivery extends DeliveryRef {
  /** Key of the delivery's row. */
  key: number;
  /** False while it backs off. */
  ready: boolean;
}

/** An event of the feed. */
export interface WebhookEvent {
  type: WebhookEventType;
  /**
   * The text of its Event JSON.
   * @param others where the cursor in it stands in the other shards, by default at their beginning
   */
  text(others?: FeedPosition): string;
  /** Characters that its text has, about. */
  length: number;
}

/** Reads for the dispatcher. */
export interface WebhookDeliveryReader {
  /** Every subscription that exists, also unsubscribed ones. */
  subscriptions(now: number): SubscriptionWork[];
  /** The oldest scheduled delivery of every lane of a subscription, oldest first. */
  heads(subscription: number): ScheduledDelivery[];
  /**
   * A page of events, by the keys of their feed rows. The first one is there unless it is pruned; of the others as many
   * as fit into 1 MiB.
   */
  events(feedKeys: readonly number[]): Map<number, WebhookEvent>;
  /**
   * Feed rows after a position in reading order, of the given types, bounded; `position` after each. `end`: where
   * reading got, at most the feed's end; nothing of the types lies between the last item and it.
   */
  read(
    after: FeedPosition,
    types: readonly WebhookEventType[],
    limit: number,
  ): { items: (DeliveryRef & { position: FeedPosition })[]; end: FeedPosition };
}
