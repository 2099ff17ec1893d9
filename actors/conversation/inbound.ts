import type { InboundMessage } from './contract.ts';
import type { ConversationRuntime } from './memory.ts';
import type { MessageRow } from './tables.ts';
import { addMessage } from './writer.ts';

/** Stores a message of the source. @param turn key of the turn that took it in, by which a repetition is recognised */
export function receive(
  runtime: ConversationRuntime,
  message: InboundMessage,
  turn: number = runtime.turn,
): MessageRow {
  const { context } = runtime.step({ type: 'message.received', fromContact: message.fromContact });
  runtime.save({ unread_count: context.unread });
  return addMessage(
    runtime,
    {
      id: message.id,
      turn,
      sourceMessageId: message.sourceMessageId,
      sentAt: message.sentAt,
      fromContact: message.fromContact,
      sender: { id: message.senderId },
      content: message.content,
      state: 'delivered',
    },
    runtime.nextKey(),
    null,
  );
}
