import { sourceActor } from '../source/contract.ts';
import { type ParkedMetadataRow, saidIn } from '../source/tables.ts';
import { type ConversationRuntime, presentConversation } from './memory.ts';
import { hearOfConversation, hearOfMessage } from './said.ts';
import type { MessageRow } from './tables.ts';

/**
 * What a source said about a conversation or a message before it appeared is applied in the turn in which it appears,
 * before anything later; the source's actor, which has kept it, is told to forget it.
 */
export function applyParkedToConversation(runtime: ConversationRuntime): void {
  const parked = runtime.reads.parkedMetadata(presentConversation(runtime), null);
  if (parked.length === 0) return;
  hearOfConversation(runtime, parked.flatMap(saidIn));
  forget(runtime, parked);
}

/** @param sourceMessageId the source's own id of the message */
export function applyParkedToMessage(runtime: ConversationRuntime, row: MessageRow, sourceMessageId: string): void {
  const parked = runtime.reads.parkedMetadata(presentConversation(runtime), sourceMessageId);
  if (parked.length === 0) return;
  hearOfMessage(runtime, row, parked.flatMap(saidIn), 'left out');
  forget(runtime, parked);
}

function forget(runtime: ConversationRuntime, parked: readonly ParkedMetadataRow[]): void {
  const keys = parked.map(({ key }) => key);
  runtime.tell(sourceActor(runtime.row.source), 'metadata.unpark', { keys });
}
