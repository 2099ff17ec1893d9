import type { Json } from '../representation.ts';
import type { Sender } from './contract.ts';
import { startDelivery } from './delivery.ts';
import type { ConversationRuntime } from './memory.ts';
import { type MessageRow, parkedSends } from './tables.ts';
import { addMessage } from './writer.ts';
import { parseJson } from '../json.ts';

/** A message that the hub is asked to send. */
export interface OutboundMessage {
  messageId: string;
  content: Json;
  sender: Sender;
}

/** Stores a message of ours as pending and puts it at the end of the conversation's lane. */
export function addOutbound(runtime: ConversationRuntime, { messageId, content, sender }: OutboundMessage): MessageRow {
  runtime.step({ type: 'message.sent' });
  const key = runtime.nextKey();
  const delivery = startDelivery(runtime, key);
  return addMessage(
    runtime,
    {
      id: messageId,
      turn: runtime.turn,
      sourceMessageId: null,
      sentAt: runtime.now,
      fromContact: false,
      sender,
      content,
      state: 'pending',
    },
    key,
    delivery,
  );
}

/** Keeps a send whose conversation is not there yet. */
export function parkSend(runtime: ConversationRuntime, { messageId, content, sender }: OutboundMessage): void {
  runtime.step({ type: 'send.park' });
  runtime.change(
    parkedSends.insert({
      key: runtime.nextKey(),
      actor: runtime.actor.key,
      message_id: messageId,
      sender: JSON.stringify(sender),
      content: JSON.stringify(content),
      at: runtime.now,
    }),
  );
}

/** The conversation appeared: what waited goes out, in the order in which it was accepted. */
export function releaseParked(runtime: ConversationRuntime): void {
  for (const parked of runtime.reads.parkedSends(runtime.actor.key)) {
    runtime.change(parkedSends.remove(parked.key));
    addOutbound(runtime, {
      messageId: parked.message_id,
      content: parseJson(parked.content) as Json,
      sender: JSON.parse(parked.sender) as Sender,
    });
  }
}

/** The conversation did not appear in time: every send that waited is reported as failed (docs/api.md, "Sending"). */
export function giveUpParked(runtime: ConversationRuntime): void {
  for (const parked of runtime.reads.parkedSends(runtime.actor.key)) {
    runtime.change(parkedSends.remove(parked.key));
    const error = `The conversation ${runtime.actor.id} did not appear within 30 seconds; the message was not sent.`;
    runtime.emit('metadata.updated', { subject: 'message', identifier: parked.message_id, metadata: { error } });
  }
}
