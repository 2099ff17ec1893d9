import { hash } from 'node:crypto';

/** Namespaces of the deterministic ids (RFC 9562 version 5), one for each resource. They never change. */
export const namespaces = {
  channel: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e01',
  conversation: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e02',
  message: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e03',
  source: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e04',
  idempotencyKey: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e05',
  command: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e06',
} as const;

const namespaceBytes = new Map<string, Buffer>();

/** The 16 bytes of a UUID. */
export function uuidToBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** The lower-case text form of 16 bytes. */
export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** UUID version 5 of the parts, joined so that no two lists of parts give the same name. */
export function uuidV5(namespace: string, ...parts: string[]): string {
  let prefix = namespaceBytes.get(namespace);
  if (!prefix) {
    prefix = uuidToBytes(namespace);
    namespaceBytes.set(namespace, prefix);
  }
  const name = parts.map((part) => `${part.length}:${part}`).join('');
  const bytes = hash('sha1', Buffer.concat([prefix, Buffer.from(name, 'utf8')]), 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidFromBytes(bytes);
}

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

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text is a UUID in lower case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);
