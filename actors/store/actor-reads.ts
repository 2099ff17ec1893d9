import { uuidToBytes } from '../uuid.ts';
import type { Connection } from './database.ts';
import { rowQuery } from './rows.ts';
import type { Rows } from './tables.ts';

/** What a command handler may read: rows of its own actor, as the batch has made them so far. */
export interface ActorReads {
  actor(kind: string, id: string): Rows['actor'] | null;
  actorByKey(key: number): Rows['actor'] | null;
  conversation(key: number): Rows['conversation'] | null;
  channel(key: number): Rows['channel'] | null;
  source(key: number): Rows['source'] | null;
  idempotencyKey(key: number): Rows['idempotency_key'] | null;
  message(id: string): Rows['message'] | null;
  messageByKey(key: number): Rows['message'] | null;
  messageBySourceId(conversation: number, sourceMessageId: string): Rows['message'] | null;
  parkedSends(actor: number): Rows['parked_send'][];
  effectOf(subject: number, kind: string): Rows['outbox'] | null;
  timer(subject: number, name: string): Rows['timer'] | null;
  webhookSubscription(key: number): Rows['webhook_subscription'] | null;
  webhookDelivery(subscription: number, feedKey: number): Rows['webhook_delivery'] | null;
  webhookDeliveryByKey(key: number): Rows['webhook_delivery'] | null;
  webhookDeliveryById(subscription: number, id: string): Rows['webhook_delivery'] | null;
  /** The scheduled deliveries of a subscription that back off. */
  webhookDeliveriesHeld(subscription: number): Rows['webhook_delivery'][];
}

export function actorReads(db: Connection): ActorReads {
  const actor = rowQuery(db, 'actor', 'WHERE id = ? AND kind = ?');
  const actorByKey = rowQuery(db, 'actor', 'WHERE key = ?');
  const conversation = rowQuery(db, 'conversation', 'WHERE key = ?');
  const channel = rowQuery(db, 'channel', 'WHERE key = ?');
  const source = rowQuery(db, 'source', 'WHERE key = ?');
  const idempotencyKey = rowQuery(db, 'idempotency_key', 'WHERE key = ?');
  const message = rowQuery(db, 'message', 'WHERE id = ?');
  const messageByKey = rowQuery(db, 'message', 'WHERE key = ?');
  const messageBySourceId = rowQuery(db, 'message', 'WHERE source_message_id = ? AND conversation = ?');
  const parkedSends = rowQuery(db, 'parked_send', 'WHERE actor = ? ORDER BY key');
  const effect = rowQuery(db, 'outbox', 'WHERE subject = ? AND kind = ?');
  const timer = rowQuery(db, 'timer', 'WHERE subject = ? AND name = ?');
  const webhookSubscription = rowQuery(db, 'webhook_subscription', 'WHERE key = ?');
  const webhookDelivery = rowQuery(db, 'webhook_delivery', 'WHERE subscription = ? AND feed_key = ?');
  const webhookDeliveryByKey = rowQuery(db, 'webhook_delivery', 'WHERE key = ?');
  const webhookDeliveryById = rowQuery(db, 'webhook_delivery', 'WHERE id = ? AND subscription = ?');
  const webhookDeliveriesHeld = rowQuery(
    db,
    'webhook_delivery',
    "WHERE subscription = ? AND status = 'scheduled' AND ready = 0 ORDER BY key",
  );
  return {
    actor: (kind, id) => actor.get(uuidToBytes(id), kind),
    actorByKey: (key) => actorByKey.get(key),
    conversation: (key) => conversation.get(key),
    channel: (key) => channel.get(key),
    source: (key) => source.get(key),
    idempotencyKey: (key) => idempotencyKey.get(key),
    message: (id) => message.get(uuidToBytes(id)),
    messageByKey: (key) => messageByKey.get(key),
    messageBySourceId: (key, sourceMessageId) => messageBySourceId.get(sourceMessageId, key),
    parkedSends: (key) => parkedSends.all(key),
    effectOf: (subject, kind) => effect.get(subject, kind),
    timer: (subject, name) => timer.get(subject, name),
    webhookSubscription: (key) => webhookSubscription.get(key),
    webhookDelivery: (subscription, feedKey) => webhookDelivery.get(subscription, feedKey),
    webhookDeliveryByKey: (key) => webhookDeliveryByKey.get(key),
    webhookDeliveryById: (subscription, id) => webhookDeliveryById.get(uuidToBytes(id), subscription),
    webhookDeliveriesHeld: (subscription) => webhookDeliveriesHeld.all(subscription),
  };
}
