import { objectAt } from '../json.ts';
import {
  type ChannelJson,
  type ConversationJson,
  type DeliveryState,
  isoTime,
  type Json,
  type JsonObject,
  type MessageJson,
} from '../representation.ts';
import type { Rows } from '../store/tables.ts';

/** A stored message as the API shows it. */
export function messageJson(row: Rows['message'], source: string): MessageJson {
  const state = row.state as DeliveryState;
  return {
    id: row.id,
    content: JSON.parse(row.content) as Json,
    state,
    delivery_state: state,
    from_contact: row.from_contact === 1,
    sent_at: isoTime(row.sent_at),
    source,
    metadata: JSON.parse(row.metadata) as JsonObject,
    sender: JSON.parse(row.sender) as MessageJson['sender'],
  };
}

/** What anyone sees of a conversation's metadata: what was stored, with the facts that the hub keeps itself. */
export function conversationMetadata(row: Rows['conversation'], stored: JsonObject): JsonObject {
  return {
    ...stored,
    contact: { ...objectAt(stored, 'contact'), displayName: row.display_name, display_name: row.display_name },
    unread_count: row.unread_count,
    ...(row.workflow !== null && { state: row.workflow }),
  };
}

/** The payload of `conversation.updated`. */
export function conversationPayload(
  row: Rows['conversation'],
  stored: JsonObject,
  lastMessage: MessageJson | null,
): JsonObject {
  return {
    id: row.id,
    created_at: isoTime(row.created_at),
    channel_id: row.channel_id,
    metadata: conversationMetadata(row, stored),
    ...(lastMessage && { last_message: withoutMetadata(lastMessage) }),
  };
}

/** A conversation as the API shows it. */
export function conversationJson(
  row: Rows['conversation'],
  channel: ChannelJson,
  lastMessage: MessageJson | null,
): ConversationJson {
  return {
    id: row.id,
    created_at: isoTime(row.created_at),
    channel,
    metadata: conversationMetadata(row, JSON.parse(row.metadata) as JsonObject),
    ...(lastMessage && { last_message: lastMessage }),
    unread_count: row.unread_count,
  };
}

function withoutMetadata(message: MessageJson): JsonObject {
  const { metadata: _, ...rest } = message;
  return rest;
}

/** The name of a contact that nobody named: last part of the source, capitalised, and the end of the conversation's id. */
export function defaultDisplayName(source: string, conversationId: string): string {
  const part = source.slice(source.lastIndexOf('.') + 1);
  return `${part.charAt(0).toUpperCase()}${part.slice(1)} ${conversationId.slice(-5)}`;
}
