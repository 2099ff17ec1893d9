import type { ConversationContext } from '#machines/conversation.ts';
import type { CommandHandler } from '../runtime/definition.ts';
import type { ConversationCommands, ConversationOrigin } from './contract.ts';
import type { ConversationMemory, ConversationRuntime } from './memory.ts';
import { presentConversation } from './memory.ts';
import { releaseParked } from './parking.ts';
import { addMessage, announceConversation, createConversation, saveConversation } from './writer.ts';

type Handler<T extends keyof ConversationCommands> = CommandHandler<
  ConversationMemory,
  ConversationCommands[T]['body'],
  ConversationCommands[T]['result']
>;

/** Makes the conversation appear when it is new: sends that waited for it go out first. */
export function openConversation(runtime: ConversationRuntime, origin: ConversationOrigin): void {
  if (runtime.memory.conversation !== null) return;
  createConversation(runtime, origin);
  const { effects } = runtime.step({ type: 'open' });
  if (effects.some((effect) => effect.type === 'releaseParked')) releaseParked(runtime);
}

/** Writes back what new messages changed of the conversation, and announces it once. */
export function messagesAdded(runtime: ConversationRuntime): void {
  const { row } = presentConversation(runtime);
  saveConversation(runtime, {
    last_message: row.last_message,
    last_message_at: row.last_message_at,
    unread_count: row.unread_count,
  });
  announceConversation(runtime);
}

export const ingestMessages: Handler<'messages.ingest'> = (runtime, { origin, messages }) => {
  openConversation(runtime, origin);
  const conversation = presentConversation(runtime);
  const seen = new Map<string, string>();
  let added = 0;
  const results = messages.map((message) => {
    // A message that we sent and its source echoes has the source's id already, under our own id.
    const stored =
      seen.get(message.sourceMessageId) ??
      runtime.reads.messageBySourceId(runtime.actor.key, message.sourceMessageId)?.id;
    if (stored === undefined) {
      seen.set(message.sourceMessageId, message.id);
      const { context } = runtime.step({ type: 'message.received', fromContact: message.fromContact } as {
        type: string;
      });
      conversation.row.unread_count = (context as ConversationContext).unread;
      addMessage(
        runtime,
        {
          id: message.id,
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
      added++;
    }
    return {
      source_message_id: message.sourceMessageId,
      id: stored ?? message.id,
      conversation_id: runtime.actor.id,
      duplicate: stored !== undefined,
    };
  });
  if (added > 0) messagesAdded(runtime);
  return { messages: results };
};
