import { channelReader } from '../channel/reader.ts';
import { type DeliveryReader, deliveryReader } from '../conversation/delivery-reader.ts';
import { messageReader } from '../conversation/message-reader.ts';
import { conversationReader } from '../conversation/reader.ts';
import { deadLetterReader } from '../dead-letter/reader.ts';
import { type ParkedReader, parkedReader } from '../source/parked-reader.ts';
import { sourceReader } from '../source/reader.ts';
import type { WebhookDeliveryReader } from '../webhook-subscription/contract.ts';
import { webhookDeliveryReader } from '../webhook-subscription/delivery-reader.ts';
import { webhookReader } from '../webhook-subscription/reader.ts';
import { openForReading } from './database.ts';
import type { FeedReader } from './feed.ts';
import { feedReader } from './feed-reader.ts';
import { type OutboxReader, outboxReader } from './outbox-reader.ts';
import type { StoreReader } from './reader.ts';

/** Everything that the outward parts of the hub read, over one read-only connection. */
export interface OpenStoreReader extends StoreReader {
  feed: FeedReader;
  outbox: OutboxReader;
  deliveries: DeliveryReader;
  webhookDeliveries: WebhookDeliveryReader;
  parked: ParkedReader;
  close(): void;
}

/** @throws Error when the file does not exist yet: the host makes it */
export function openStoreReader(file: string, shards: number): OpenStoreReader {
  const db = openForReading(file);
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
