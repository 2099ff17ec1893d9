import { channelJson } from '../channel/representation.ts';
import { parseJson } from '../json.ts';
import { type ChannelJson, isoTime, type Json } from '../representation.ts';
import type { OwnedState } from '../runtime/kind.ts';
import { uuidToBytes } from '../uuid.ts';
import type { Connection } from '../store/database.ts';
import { channels } from '../channel/tables.ts';
import { pendingStateOf } from './delivery.ts';
import { isOfErased, isPresent } from './memory.ts';
import { conversations, messages } from './tables.ts';

/** A send that is to be made: what the call to the source needs. */
export interface DeliveryWork {
  message: { id: string; content: Json; sentAt: number };
  conversation: { id: string; sourceConversationId: string; createdAt: string };
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
  /** The source that a lane (a conversation's key) delivers to. */
  sourceOfLane(lane: number): string | null;
}

export function deliveryReader(db: Connection): DeliveryReader {
  const messageByKey = messages.query(db, 'WHERE key = ?');
  const conversationByKey = conversations.query(db, 'WHERE key = ?');
  const channelById = channels.query(db, 'WHERE id = ?');
  // A message that a source pushed has no delivery, and is delivered.
  const exchanged = db
    .prepare(`SELECT 1 FROM message WHERE conversation = ? AND (state = 'delivered' OR source_message_id IS NOT NULL)`)
    .pluck();
  const timerDue = db.prepare('SELECT due FROM timer WHERE subject = ? ORDER BY due DESC LIMIT 1').pluck();
  const source = db.prepare('SELECT source FROM conversation WHERE key = ?').pluck();
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
        channel: channelJson(channel),
        knownToSource: exchanged.get(conversation.key) !== undefined,
        ...standing(message.delivery),
        // The delivery machine has a timer only while it backs off.
        backingOffUntil: (timerDue.get(messageKey) as number | undefined) ?? null,
      };
    },
    sourceOfLane: (lane) => (source.get(lane) as string | undefined) ?? null,
  };
}

function standing(delivery: string | null): Pick<DeliveryWork, 'pending' | 'revision'> {
  if (delivery === null) return { pending: null, revision: 0 };
  const { value, revision } = JSON.parse(delivery) as OwnedState;
  return { pending: pendingStateOf(value), revision };
}
