import type { MessageDeliveryContext } from '#machines/message-delivery.ts';
import { messageId } from '../ids.ts';
import { parseJson } from '../json.ts';
import type { Json } from '../representation.ts';
import type { OwnedState } from '../runtime/kind.ts';
import type { InboundMessage } from './contract.ts';
import { sourceDelivery } from './delivery.ts';
import { receive } from './inbound.ts';
import type { ConversationRuntime } from './memory.ts';
import { formerEchoes, type MessageRow, type ParkedEchoRow, parkedEchoes } from './tables.ts';

/**
 * What a source pushes as written on its side may be the echo of a send whose answer has not come: only the answer
 * tells. Until then it is kept without being shown, so that it never is two messages (decision 22).
 */

/** Whether the source may have a message of ours under an id that the hub has not been told. */
export function mayEcho({ reads, actor }: ConversationRuntime): boolean {
  // Only the head of a lane is called for.
  const head = reads.headOfLane(actor.key, sourceDelivery);
  return head !== null && isOutThere(JSON.parse(head.delivery ?? 'null') as OwnedState);
}

function isOutThere({ value, context }: OwnedState): boolean {
  const { pending } = value as { pending?: string };
  return pending === 'calling' || (pending !== undefined && (context as MessageDeliveryContext).attempts > 0);
}

/** Keeps a message that may be an echo. */
export function parkEcho(runtime: ConversationRuntime, message: InboundMessage): void {
  runtime.step({ type: 'echo.park' });
  runtime.change(
    parkedEchoes.insert({
      key: runtime.nextKey(),
      actor: runtime.actor.key,
      turn: runtime.turn,
      message_id: message.id,
      source_message_id: message.sourceMessageId,
      sender_id: message.senderId,
      content: JSON.stringify(message.content),
      sent_at: message.sentAt,
    }),
  );
}

/**
 * The source has named a message of ours: an echo that came before is that message, and was answered with an id that
 * leads to it from now on.
 * @returns the columns that the message gets
 */
export function namedMessage(
  runtime: ConversationRuntime,
  message: MessageRow,
  sourceMessageId: string,
): Partial<MessageRow> {
  const { reads, row, actor } = runtime;
  const echo = reads.parkedEcho(messageId(actor.id, row.source, sourceMessageId));
  if (echo === null) return { source_message_id: sourceMessageId };
  runtime.change(parkedEchoes.remove(echo.key));
  return { source_message_id: sourceMessageId, ...knownByEcho(runtime, message, echo.message_id) };
}

/**
 * A message is known by the id of another echo from now on; the one of before leads to it still.
 * @returns the columns that the message gets
 */
export function knownByEcho(
  runtime: ConversationRuntime,
  { key: message, echo_id: before }: MessageRow,
  echoId: string,
): Pick<MessageRow, 'echo_id'> {
  if (before !== null && before !== echoId && !runtime.reads.isFormerEcho(before)) {
    runtime.change(formerEchoes.insert({ key: runtime.nextKey(), message, echo_id: before }));
  }
  return { echo_id: echoId };
}

/**
 * Shows what turned out to be no echo, once nothing is out there any more.
 * @param owned the delivery of the message that was called for
 * @param sourceMessageId the id that its source gave it in this turn
 */
export function settleEchoes(runtime: ConversationRuntime, owned: OwnedState, sourceMessageId: string | null): void {
  const { echoes } = runtime.value as { echoes: string };
  if (echoes === 'none' || isOutThere(owned)) return;
  runtime.step({ type: 'echo.settle' });
  releaseEchoes(runtime, sourceMessageId);
}

/** Shows what was kept as a possible echo, except the one of this id. */
export function releaseEchoes(runtime: ConversationRuntime, except: string | null = null): void {
  const { reads, actor } = runtime;
  const others = reads.parkedEchoes(actor.key).filter((echo) => echo.source_message_id !== except);
  for (const echo of others) {
    runtime.change(parkedEchoes.remove(echo.key));
  }
  if (others.length > 0) receive(runtime, others.map(inboundOf));
}

const inboundOf = (echo: ParkedEchoRow): InboundMessage & { turn: number } => ({
  turn: echo.turn,
  id: echo.message_id,
  sourceMessageId: echo.source_message_id,
  senderId: echo.sender_id,
  content: parseJson(echo.content) as Json,
  fromContact: false,
  sentAt: echo.sent_at,
});
