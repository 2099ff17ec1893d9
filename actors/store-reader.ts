import { type ChannelReader, channelReader } from './channel/reader.ts';
import { type DeliveryReader, deliveryReader } from './conversation/delivery-reader.ts';
import { type MessageReader, messageReader } from './conversation/message-reader.ts';
import { type ConversationReader, conversationReader } from './conversation/reader.ts';
import { type DeadLetterReader, deadLetterReader } from './dead-letter/reader.ts';
import { type ParkedReader, parkedReader } from './source/parked-reader.ts';
import { type SourceReader, sourceReader } from './source/reader.ts';
import { openForReading } from './store/database.ts';
import type { FeedReader } from './store/feed.ts';
import { feedReader } from './store/feed-reader.ts';
import { type OutboxReader, outboxReader } from './store/outbox-reader.ts';
import type { WebhookDeliveryReader } from './webhook-subscription/contract.ts';
import { webhookDeliveryReader } from './webhook-subscription/delivery-reader.ts';
import { type WebhookReader, webhookReader } from './webhook-subscription/reader.ts';

/** Everything that can be read outside an actor. A value read here may be older than the newest commit, never torn. */
export interface StoreReader {
  channels: ChannelReader;
  conversations: ConversationReader;
  messages: MessageReader;
  sources: SourceReader;
  deadLetters: DeadLetterReader;
  webhooks: WebhookReader;
}

/** Everything that the outward parts of the hub read, over one read-only connection. */
export interface OpenStoreReader extends StoreReader {
  feed: FeedReader;
  outbox: OutboxReader;
  deliveries: DeliveryReader;
  webhookDeliveries: WebhookDeliveryReader;
  parked: ParkedReader;
  close(): void;
}

/**
 * @param running whether a read may go on, as `openForReading` takes it
 * @throws Error when the file does not exist yet: the host makes it
 */
export function openStoreReader(file: string, shards: number, running?: () => boolean): OpenStoreReader {
  const db = openForReading(file, running);
  return {
    channels: channelReader(db),
    conversations: conversationReader(db),
    messages: messageReader(db),
    sources: sourceReader(db),
    deadLetters: deadLetterReader(db),
    webhooks: webhookReader(db),
    feed: feedReader(db, shards),
    outbox: outboxReader(db),
    deliveries: deliveryReader(db),
    webhookDeliveries: webhookDeliveryReader(db, shards),
    parked: parkedReader(db),
    close: () => db.close(),
  };
}
