import { parseJson } from '../json.ts';
import type { Json } from '../representation.ts';
import type { Sender } from './contract.ts';
import { awaitConversation, startDelivery, stepDelivery, type SteppedDelivery } from './delivery.ts';
import type { ConversationRuntime } from './memory.ts';
import { type MessageRow, type ParkedSendRow, parkedSends } from './tables.ts';
import { addMessage } from './writer.ts';

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
  return addMessage(runtime, { ...ours(runtime), id: messageId, sentAt: runtime.now, sender, content }, key, delivery);
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
    const resent = runtime.reads.message(parked.message_id);
    if (resent !== null) stepDelivery(runtime, resent, { type: 'conversation.appeared' });
    else addOutbound(runtime, outboundOf(parked));
  }
}

/** A kept send whose conversation is still not there waits for it again. Null: it has not failed. */
export function parkAgain(runtime: ConversationRuntime, row: MessageRow): SteppedDelivery | null {
  const stepped = stepDelivery(runtime, row, { type: 'conversation.awaited' });
  if (stepped !== null) parkSend(runtime, outboundOf({ message_id: row.id, content: row.content, sender: row.sender }));
  return stepped;
}

/** The conversation did not appear in time: every send that waited is kept as failed (docs/api.md, "Sending"). */
export function giveUpParked(runtime: ConversationRuntime): void {
  for (const parked of runtime.reads.parkedSends(runtime.actor.key)) {
    runtime.change(parkedSends.remove(parked.key));
    const error = `The conversation ${runtime.actor.id} did not appear within 30 seconds; the message was not sent.`;
    const row = runtime.reads.message(parked.message_id) ?? addAwaiting(runtime, parked);
    stepDelivery(runtime, row, { type: 'conversation.missing', error });
  }
}

/** Stores a message of ours whose conversation is not there. */
function addAwaiting(runtime: ConversationRuntime, parked: ParkedSendRow): MessageRow {
  const { messageId, content, sender } = outboundOf(parked);
  const key = runtime.nextKey();
  return addMessage(
    runtime,
    { ...ours(runtime), id: messageId, sentAt: parked.at, sender, content },
    key,
    awaitConversation(runtime, key),
  );
}

/** What every message has that the hub is asked to send. */
const ours = ({ turn }: ConversationRuntime) =>
  ({ turn, sourceMessageId: null, fromContact: false, state: 'pending' }) as const;

const outboundOf = (parked: Pick<ParkedSendRow, 'message_id' | 'content' | 'sender'>): OutboundMessage => ({
  messageId: parked.message_id,
  content: parseJson(parked.content) as Json,
  sender: JSON.parse(parked.sender) as Sender,
});
