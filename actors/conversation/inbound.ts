import type { InboundMessage } from './contract.ts';
import { askFor, mediaFetch } from './fetches.ts';
import type { ConversationRuntime } from './memory.ts';
import { applyParkedToMessage } from './parked-metadata.ts';
import type { MessageRow } from './tables.ts';
import { reflectTyping } from './typing.ts';
import { addMessage, announceConversation } from './writer.ts';

/** A message of the source; `turn`: key of the turn that took it in, where it was not this one. */
type TakenIn = InboundMessage & { turn?: number };

/** Stores messages of the source, and shows them. */
export function receive(runtime: ConversationRuntime, messages: readonly TakenIn[]): void {
  const fromContact = messages.filter((message) => message.fromContact).length;
  const { context, effects } = runtime.step({ type: 'messages.received', fromContact });
  runtime.save({ unread_count: context.unread });
  reflectTyping(runtime, effects);
  // Asked once for all of them: nearly always there is nothing.
  const isAwaited = runtime.reads.hasParkedMetadata(runtime.row.source);
  for (const message of messages) {
    const row = addInbound(runtime, message);
    if (isAwaited) applyParkedToMessage(runtime, row, message.sourceMessageId);
  }
  announceConversation(runtime);
}

function addInbound(runtime: ConversationRuntime, message: TakenIn): MessageRow {
  const { id, turn = runtime.turn, sourceMessageId, sentAt, fromContact, senderId, content } = message;
  const key = runtime.nextKey();
  if (message.media) askFor(runtime, mediaFetch, key);
  return addMessage(
    runtime,
    { id, turn, sourceMessageId, sentAt, fromContact, sender: { id: senderId }, content, state: 'delivered' },
    key,
    null,
  );
}
