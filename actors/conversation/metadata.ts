import { objectAt, parseJson } from '../json.ts';
import { metadataText } from '../metadata.ts';
import type { JsonObject, MessageJson } from '../representation.ts';
import { type ConversationRuntime, ownMessage, presentConversation } from './memory.ts';
import type { MessageRow } from './tables.ts';
import { displayNameOf, messageJson } from './representation.ts';
import {
  announceConversation,
  announceConversationMetadata,
  announceMessageMetadata,
  saveConversation,
  updateMessage,
} from './writer.ts';

export const metadataOf = (row: { metadata: string }): JsonObject => parseJson(row.metadata) as JsonObject;

/** Changes the stored metadata of a message and tells it where it is new. @throws Failure `metadata_too_large` */
export const saveMessageMetadata = (runtime: ConversationRuntime, row: MessageRow, metadata: JsonObject): MessageJson =>
  storeMessageMetadata(runtime, row, metadataText(metadata));

/** The same with the text of the metadata, which has been looked at. */
export function storeMessageMetadata(runtime: ConversationRuntime, row: MessageRow, metadata: string): MessageJson {
  const columns = { metadata };
  if (columns.metadata === row.metadata) return messageJson(row, runtime.row.source);
  announceMessageMetadata(runtime, { ...row, ...columns });
  return updateMessage(runtime, row, columns);
}

/**
 * Changes the stored metadata of a message, or of the conversation itself, and tells it where it is new.
 * @throws Failure `metadata_too_large`
 */
export function changeMetadata(
  runtime: ConversationRuntime,
  messageId: string | null,
  change: (metadata: JsonObject) => JsonObject,
): void {
  if (messageId !== null) {
    const row = ownMessage(runtime, messageId);
    saveMessageMetadata(runtime, row, change(metadataOf(row)));
    return;
  }
  const row = presentConversation(runtime);
  const changed = change(runtime.memory.metadata);
  const text = metadataText(changed);
  if (text === row.metadata) return;
  saveConversation(runtime, { metadata: text, display_name: displayNameOf(row, changed) });
  announceConversationMetadata(runtime);
  announceConversation(runtime);
}

/** A contact's name under one key: the two spellings mean the same, and the newer must win. */
export function withOneName(metadata: JsonObject): JsonObject {
  const { displayName, ...contact } = objectAt(metadata, 'contact');
  if (displayName === undefined) return metadata;
  return { ...metadata, contact: { display_name: displayName, ...contact } };
}
