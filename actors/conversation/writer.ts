import type { Json, JsonObject, MessageJson } from '../representation.ts';
import type { Rows } from '../store/tables.ts';
import type { ConversationOrigin } from './contract.ts';
import { type ConversationRuntime, presentConversation } from './memory.ts';
import { conversationMetadata, conversationPayload, defaultDisplayName, messageJson } from './representation.ts';

/** Creates the conversation's row. */
export function createConversation(runtime: ConversationRuntime, origin: ConversationOrigin): void {
  const row: Rows['conversation'] = {
    key: runtime.actor.key,
    id: runtime.actor.id,
    channel_id: origin.channelId,
    source: origin.source,
    source_conversation_id: origin.sourceConversationId,
    created_at: runtime.now,
    display_name: defaultDisplayName(origin.source, runtime.actor.id),
    metadata: '{}',
    unread_count: 0,
    workflow: null,
    last_message: null,
    last_message_at: 0,
  };
  runtime.change({ table: 'conversation', op: 'insert', row });
  runtime.memory = { conversation: { row: { ...row }, metadata: {}, lastMessage: null } };
}

/** Changes columns of the conversation's row. */
export function saveConversation(runtime: ConversationRuntime, columns: Partial<Rows['conversation']>): void {
  const conversation = presentConversation(runtime);
  Object.assign(conversation.row, columns);
  if (columns.metadata !== undefined) conversation.metadata = JSON.parse(columns.metadata) as JsonObject;
  runtime.change({ table: 'conversation', op: 'update', key: runtime.actor.key, row: columns });
}

/** Emits `conversation.updated` with the conversation as it is now. */
export function announceConversation(runtime: ConversationRuntime): void {
  const { row, metadata, lastMessage } = presentConversation(runtime);
  runtime.emit('conversation.updated', conversationPayload(row, metadata, lastMessage));
}

/** Emits `metadata.updated` with the full current metadata of the conversation. */
export function announceConversationMetadata(runtime: ConversationRuntime): void {
  const { row, metadata } = presentConversation(runtime);
  announceMetadata(runtime, 'conversation', row.id, conversationMetadata(row, metadata));
}

export function announceMetadata(
  runtime: ConversationRuntime,
  subject: 'conversation' | 'message',
  identifier: string,
  metadata: JsonObject,
): void {
  runtime.emit('metadata.updated', { subject, identifier, metadata });
}

/** A new message, before it has a key. */
export interface NewMessage {
  id: string;
  sourceMessageId: string | null;
  sentAt: number;
  fromContact: boolean;
  sender: MessageJson['sender'];
  content: Json;
  state: 'pending' | 'delivered';
}

/** Stores a message, emits `message.created` and makes it the conversation's last one unless a younger one is there. */
export function addMessage(
  runtime: ConversationRuntime,
  message: NewMessage,
  key: number,
  delivery: string | null,
): MessageJson {
  const conversation = presentConversation(runtime);
  const row: Rows['message'] = {
    key,
    id: message.id,
    conversation: runtime.actor.key,
    source_message_id: message.sourceMessageId,
    sent_at: message.sentAt,
    from_contact: message.fromContact ? 1 : 0,
    sender: JSON.stringify(message.sender),
    content: JSON.stringify(message.content),
    metadata: '{}',
    state: message.state,
    delivery,
  };
  runtime.change({ table: 'message', op: 'insert', row });
  const json: MessageJson = {
    id: message.id,
    content: message.content,
    state: message.state,
    delivery_state: message.state,
    from_contact: message.fromContact,
    sent_at: new Date(message.sentAt).toISOString(),
    source: conversation.row.source,
    metadata: {},
    sender: message.sender,
  };
  runtime.emit('message.created', messagePayload(runtime, json));
  if (message.sentAt >= conversation.row.last_message_at) {
    conversation.lastMessage = json;
    conversation.row.last_message = key;
    conversation.row.last_message_at = message.sentAt;
  }
  return json;
}

/** Changes columns of a message and emits `message.updated`. */
export function updateMessage(
  runtime: ConversationRuntime,
  row: Rows['message'],
  columns: Partial<Rows['message']>,
): MessageJson {
  const conversation = presentConversation(runtime);
  runtime.change({ table: 'message', op: 'update', key: row.key, row: columns });
  const json = messageJson({ ...row, ...columns }, conversation.row.source);
  if (conversation.row.last_message === row.key) conversation.lastMessage = json;
  runtime.emit('message.updated', messagePayload(runtime, json));
  return json;
}

function messagePayload(runtime: ConversationRuntime, message: MessageJson): JsonObject {
  const { row } = presentConversation(runtime);
  return { conversation_id: row.id, channel_id: row.channel_id, message: { ...message } };
}
