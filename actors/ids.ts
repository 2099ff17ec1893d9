import { uuidV5, uuidV8 } from './uuid.ts';

/** Namespaces of the deterministic ids (RFC 9562 version 5), one for each resource. They never change. */
export const namespaces = {
  channel: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e01',
  conversation: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e02',
  source: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e04',
  idempotencyKey: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e05',
  command: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e06',
  contact: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e07',
  user: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e0a',
  component: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e30',
  media: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e0d',
  erasedName: 'b4f0c1de-6a55-4a3c-9d0e-2f1b8a7c5e24',
} as const;

/** The channel of an account at a source. */
export function channelId(source: string, sourceChannelId: string): string {
  const name = `${source.length} ${source}${sourceChannelId}`;
  const known = channelIds.get(name);
  if (known !== undefined) return known;
  const id = uuidV5(namespaces.channel, source, sourceChannelId);
  if (channelIds.size >= rememberedIds) channelIds.clear();
  channelIds.set(name, id);
  return id;
}

/** Few channels get most messages: their ids are not made again for each. */
const channelIds = new Map<string, string>();
const rememberedIds = 10_000;

/** The conversation with a contact of a channel. */
export const conversationId = (channel: string, sourceConversationId: string): string =>
  uuidV5(namespaces.conversation, channel, sourceConversationId);

/** What is left of the name that a source has for a conversation, on whichever channel, once that is erased. */
export const erasedNameOf = (source: string, sourceConversationId: string): string =>
  uuidV5(namespaces.erasedName, source, sourceConversationId);

/**
 * A message that its source named. One index on ids says whether it is there, which one it is and, by the first half,
 * which messages have this id of their source.
 */
export const messageId = (conversation: string, source: string, sourceMessageId: string): string =>
  uuidV8([source, sourceMessageId], [conversation]);

/** The first and the last id that a message with this id of its source can have, whatever its conversation. */
export function messageIdsOf(source: string, sourceMessageId: string): [first: string, last: string] {
  const prefix = uuidV8([source, sourceMessageId], []).slice(0, 19);
  return [`${prefix}8000-000000000000`, `${prefix}bfff-ffffffffffff`];
}

/** The contact that a conversation is given when it appears. */
export const contactOfConversation = (conversation: string): string => uuidV5(namespaces.contact, conversation);

/** The nth contact of an import. */
export const importedContactId = (id: string, index: number): string => uuidV5(namespaces.contact, id, String(index));

/** The actor of a registered source. */
export const sourceActorId = (sourceId: string): string => uuidV5(namespaces.source, sourceId);

/** The actor of a person, by the `<provider>:<user id>` that names them. */
export const userActorId = (userId: string): string => uuidV5(namespaces.user, userId);

/** The actor of a component of the catalogue. */
export const componentActorId = (name: string): string => uuidV5(namespaces.component, name);

/** The actor of a file with this content. */
export const mediaActorId = (sha256: string): string => uuidV5(namespaces.media, sha256);

/**
 * A delivery of a feed row to a subscription: the `webhook-id`, the same on all its tries. A UUID version 8 that holds
 * the feed row's key, so that no index is needed to find the delivery again.
 */
export function deliveryId(subscription: string, feedKey: number): string {
  const key = feedKey.toString(16).padStart(15, '0');
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(12)}-${deliveryHalf(subscription)}`;
}

/** A record holds many deliveries of one subscription: what their ids share is made once for it. */
let lastHalf = { subscription: '', half: '' };

function deliveryHalf(subscription: string): string {
  if (lastHalf.subscription !== subscription) {
    lastHalf = { subscription, half: uuidV8([], [subscription]).slice(19) };
  }
  return lastHalf.half;
}

/** The key of the feed row of a delivery of this subscription; null for an id that is none. */
export function feedKeyOf(subscription: string, id: string): number | null {
  const feedKey = Number.parseInt(id.slice(0, 8) + id.slice(9, 13) + id.slice(15, 18), 16);
  return Number.isSafeInteger(feedKey) && deliveryId(subscription, feedKey) === id ? feedKey : null;
}
