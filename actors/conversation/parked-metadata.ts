import { merged } from '../json.ts';
import type { JsonObject } from '../representation.ts';
import { sourceActor } from '../source/contract.ts';
import type { ParkedMetadataRow } from '../source/tables.ts';
import type { ConversationRuntime } from './memory.ts';
import { metadataOf, withOneName } from './metadata.ts';
import { hearOfMessage } from './said.ts';
import type { MessageRow } from './tables.ts';
import { saveConversation } from './writer.ts';

/**
 * What a source said about a conversation or a message before it appeared is applied in the turn in which it appears,
 * before anything later; the source's actor, which has kept it, is told to forget it.
 */
export function applyParkedToConversation(runtime: ConversationRuntime): void {
  const { source, source_conversation_id, display_name } = runtime.row;
  const parked = runtime.reads.parkedMetadata(source, 'conversation', source_conversation_id);
  if (parked.length === 0) return;
  const metadata = parked.reduce(
    (before, said) => merged(before, withOneName(metadataOf(said))),
    runtime.memory.metadata,
  );
  const { display_name: name } = (metadata['contact'] ?? {}) as JsonObject;
  saveConversation(runtime, {
    metadata: JSON.stringify(metadata),
    display_name: typeof name === 'string' && name !== '' ? name : display_name,
  });
  forget(runtime, parked);
}

/** @param sourceMessageId the source's own id of the message */
export function applyParkedToMessage(runtime: ConversationRuntime, row: MessageRow, sourceMessageId: string): void {
  const parked = runtime.reads.parkedMetadata(runtime.row.source, 'message', sourceMessageId);
  if (parked.length === 0) return;
  hearOfMessage(runtime, row, parked.map(metadataOf));
  forget(runtime, parked);
}

function forget(runtime: ConversationRuntime, parked: readonly ParkedMetadataRow[]): void {
  const keys = parked.map(({ key }) => key);
  runtime.tell(sourceActor(runtime.row.source), 'metadata.unpark', { keys });
}
