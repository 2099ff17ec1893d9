import { uuidV5 } from './uuid.ts';

/** Namespaces of the deterministic ids (RFC 9562 version 5), one for each resource. They never change. */
export const namespaces = {
  channel: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e01',
  conversation: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e02',
  message: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e03',
  source: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e04',
  idempotencyKey: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e05',
  command: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e06',
} as const;

/** The channel of an account at a source. */
export const channelId = (source: string, sourceChannelId: string): string =>
  uuidV5(namespaces.channel, source, sourceChannelId);

/** The conversation with a contact of a channel. */
export const conversationId = (channel: string, sourceConversationId: string): string =>
  uuidV5(namespaces.conversation, channel, sourceConversationId);

/** A message that its source named. */
export const messageId = (conversation: string, sourceMessageId: string): string =>
  uuidV5(namespaces.message, conversation, sourceMessageId);

/** The actor of a registered source. */
export const sourceActorId = (sourceId: string): string => uuidV5(namespaces.source, sourceId);

/** A delivery of a feed row to a subscription: the `webhook-id`, the same on all its tries. */
export const deliveryId = (subscription: string, feedKey: number): string =>
  uuidV5(namespaces.command, 'delivery', subscription, String(feedKey));
