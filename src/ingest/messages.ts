import type { ChannelReader } from '#actors/channel/reader.ts';
import type { CommandSender } from '#actors/commands.ts';
import type { ConversationCommands, ConversationOrigin } from '#actors/conversation/contract.ts';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import type { Features } from '#src/features.ts';
import type { Inbound, MessageItem } from './items.ts';
import { type MessageProblem, messageProblem } from './item-check.ts';
import { timeProblem } from './times.ts';

/** What storing messages works with. */
export interface MessageParts {
  commands: CommandSender;
  features: Features;
  /** Absent: sources that push what they know. */
  traits?: SourceTraits;
}

/** What the hub does for the messages of a source besides keeping them. */
export interface SourceTraits {
  /** How long after a message of the contact it takes free answers, in ms; absent: always. */
  window?: number;
  /** Whether it can be asked who a contact is. */
  profiles: boolean;
  /** Whether a content has files that are to be copied. */
  hasMedia(content: Json): boolean;
}

/** What became of a message, as the API answers it. */
export type Ingested = ConversationCommands['messages.ingest']['result']['messages'][number];

/** The messages of one conversation, in their order. */
export interface ConversationItems {
  conversation: string;
  origin: ConversationOrigin;
  /** `index`: where the item stands in what came in. */
  items: { index: number; item: MessageItem }[];
  /** What is said of the conversation itself, in its order. */
  said: JsonObject[];
}

export interface SortedMessages {
  conversations: ConversationItems[];
  unusable: UnusableMessage[];
}

/** A message that can not be taken, and what of it is the reason. */
export interface UnusableMessage extends MessageProblem {
  index: number;
}

/** Sorts messages by conversation. @param now epoch ms by the hub's clock */
export function sortMessages(channels: ChannelReader, { source, messages }: Inbound, now: number): SortedMessages {
  const connected = new Map<string, boolean>();
  const conversations = new Map<string, ConversationItems>();
  const unusable: UnusableMessage[] = [];
  for (const [index, item] of messages.entries()) {
    const malformed = messageProblem(item);
    if (malformed !== null) {
      unusable.push({ index, ...malformed });
      continue;
    }
    const badTime = timeProblem(item.sentAt, now);
    if (badTime !== null) unusable.push({ index, field: 'sentAt', problem: badTime });
    const channel = channelId(source, item.channel);
    let usable = connected.get(channel);
    if (usable === undefined) {
      usable = channels.find(channel)?.connected === true;
      connected.set(channel, usable);
    }
    if (!usable) {
      unusable.push({ index, field: 'channel', problem: 'is not a connected channel of this source' });
      continue;
    }
    const conversation = conversationId(channel, item.conversation);
    const origin = { channelId: channel, source, sourceConversationId: item.conversation };
    const ofOne: ConversationItems = conversations.get(conversation) ?? { conversation, origin, items: [], said: [] };
    ofOne.items.push({ index, item });
    conversations.set(conversation, ofOne);
  }
  return { conversations: [...conversations.values()], unusable };
}

/**
 * One command for each conversation, side by side; the order of the items is kept within a conversation.
 * @returns what became of each usable message, in the order in which they came in
 */
export async function storeMessages(
  { commands, features, traits }: MessageParts,
  conversations: readonly ConversationItems[],
): Promise<Ingested[]> {
  const isKept = features.isOn('contacts');
  const ingested: [index: number, Ingested][] = [];
  await Promise.all(
    conversations.map(async ({ conversation, origin, items, said }) => {
      const result = await commands.send('conversation', conversation, 'messages.ingest', {
        origin: { ...origin, ...(isKept && { contact: true as const }), ...originTraits(traits) },
        messages: items.map(({ item }) => ({
          id: messageId(conversation, origin.source, item.id),
          sourceMessageId: item.id,
          senderId: item.sender,
          content: item.content,
          fromContact: item.fromContact,
          sentAt: item.sentAt,
          ...(traits?.hasMedia(item.content) && { media: true as const }),
        })),
        ...(said.length > 0 && { said }),
      });
      for (const [n, { index }] of items.entries()) ingested.push([index, result.messages[n]!]);
    }),
  );
  return ingested.sort(([a], [b]) => a - b).map(([, message]) => message);
}

const originTraits = (traits: SourceTraits | undefined): Pick<ConversationOrigin, 'profile' | 'window'> => ({
  ...(traits?.profiles && { profile: true }),
  ...(traits?.window !== undefined && { window: traits.window }),
});
