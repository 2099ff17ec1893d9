import { channelJson } from '../channel/representation.ts';
import { parseJson } from '../json.ts';
import { type ChannelJson, isoTime, type Json, type JsonObject } from '../representation.ts';
import type { OwnedState } from '../runtime/kind.ts';
import { uuidFromBytes, uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import { channels } from '../channel/tables.ts';
import { pendingStateOf } from './delivery.ts';
import { isOfErased, isPresent } from './memory.ts';
import { conversations, messages } from './tables.ts';
import { openUntil } from './window.ts';

/** A send that is to be made: what the call to the source needs. */
export interface DeliveryWork {
  message: { id: string; content: Json; sentAt: number };
  conversation: { id: string; sourceConversationId: string; createdAt: string };
  /** Until when the source takes free answers (epoch ms); null: nothing is known of it. */
  openUntil: number | null;
  channel: ChannelJson;
  /** The source has said something in this conversation, or taken a message, so it knows it. */
  knownToSource: boolean;
  /** Where the send stands inside `pending`, null when it is not pending. */
  pending: ReturnType<typeof pendingStateOf>;
  /** Of the delivery: in `calling`, that of the attempt. */
  revision: number;
  /** Epoch ms at which backing off ends, null in any other state. */
  backingOffUntil: number | null;
}

export interface DeliveryReader {
  /** By the message's key, which is the subject of its effect. Null also for one that is about to be erased. */
  find(messageKey: number): DeliveryWork | null;
  /** The account (`accountOf`) that a lane (a conversation's key) delivers to. */
  accountOfLane(lane: number): string | null;
}

/**
 * What sends share whose calls meet the same fate: a registered source with all its channels, as it has one endpoint;
 * else the channel, so that one account of a platform holds up no other.
 */
export const accountOf = ({ id, source_id }: Pick<ChannelJson, 'id' | 'source_id'>): string => source_id ?? id;

export function deliveryReader(db: Connection): DeliveryReader {
  const messageByKey = messages.query(db, 'WHERE key = ?');
  const conversationByKey = conversations.query(db, 'WHERE key = ?');
  const channelById = channels.query(db, 'WHERE id = ?');
  // A message that a source pushed has no delivery, and is delivered.
  const exchanged = db
    .prepare(`SELECT 1 FROM message WHERE conversation = ? AND (state = 'delivered' OR source_message_id IS NOT NULL)`)
    .pluck();
  const timerDue = db.prepare('SELECT due FROM timer WHERE subject = ? ORDER BY due DESC LIMIT 1').pluck();
  const account = db.prepare(
    `SELECT channel.source_id, channel.id FROM conversation JOIN channel ON channel.id = conversation.channel_id
       WHERE conversation.key = ?`,
  );
  return {
    find(messageKey) {
      const message = messageByKey.get(messageKey);
      const conversation = message === null ? null : conversationByKey.get(message.conversation);
      if (message === null || conversation === null || !isPresent(conversation)) return null;
      if (isOfErased(conversation, message.key)) return null;
      const channel = channelById.get(uuidToBytes(conversation.channel_id));
      if (channel === null) return null;
      return {
        message: { id: message.id, content: parseJson(message.content) as Json, sentAt: message.sent_at },
        conversation: {
          id: conversation.id,
          sourceConversationId: conversation.source_conversation_id,
          createdAt: isoTime(conversation.created_at),
        },
        openUntil: openUntil(parseJson(conversation.metadata) as JsonObject),
        channel: channelJson(channel),
        knownToSource: exchanged.get(conversation.key) !== undefined,
        ...standing(message.delivery),
        // The delivery machine has a timer only while it backs off.
        backingOffUntil: (timerDue.get(messageKey) as number | undefined) ?? null,
      };
    },
    accountOfLane(lane) {
      const found = account.get(lane) as { source_id: string | null; id: Uint8Array } | undefined;
      if (found === undefined) return null;
      return found.source_id ?? uuidFromBytes(found.id);
    },
  };
}

function standing(delivery: string | null): Pick<DeliveryWork, 'pending' | 'revision'> {
  if (delivery === null) return { pending: null, revision: 0 };
  const { value, revision } = JSON.parse(delivery) as OwnedState;
  return { pending: pendingStateOf(value), revision };
}
