import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface ConversationRow extends ActorRow {
  /** Null, as `created_at`, while the conversation has not appeared. */
  channel_id: string | null;
  source: string;
  source_conversation_id: string;
  /** Epoch ms. */
  created_at: number | null;
  /** The name that an agent gave; null: none. */
  agent_name: string | null;
  /** What it is shown as. */
  display_name: string;
  metadata: string;
  unread_count: number;
  workflow: string | null;
  /** How many messages it has. */
  messages: number;
  /** Key of the message that was sent last. */
  last_message: number | null;
  last_message_at: number;
  /** Key below which every message is erased; null: none is. */
  erased_before: number | null;
  /** What its source called it before it was erased (`erasedNameOf`); null: it never was. */
  erased_name: string | null;
}

export interface MessageRow {
  key: number;
  id: string;
  /** Key of the conversation. */
  conversation: number;
  /** Key of the turn that took it in. */
  turn: number;
  source_message_id: string | null;
  /** The id that follows from an id of the source which it was answered under, or had, besides: its echo's. */
  echo_id: string | null;
  sent_at: number;
  from_contact: number;
  sender: string;
  content: string;
  metadata: string;
  state: string;
  /** The stored state of its delivery machine; null for one that the hub does not send. */
  delivery: string | null;
}

/** An id of an echo by which a message was known before its present one: it was sent several times. */
export interface FormerEchoRow {
  key: number;
  /** Key of the message. */
  message: number;
  echo_id: string;
}

/** A file of the hub's own that a message shows. */
export interface MessageMediaRow {
  key: number;
  /** Key of the message. */
  message: number;
  /** Id of the file's actor. */
  media: string;
}

/** A send that waits for its conversation to appear. */
export interface ParkedSendRow {
  key: number;
  actor: number;
  message_id: string;
  sender: string;
  content: string;
  at: number;
}

/** A message of the source that may be the echo of a send whose answer has not come. */
export interface ParkedEchoRow {
  key: number;
  actor: number;
  /** Key of the turn that took it in. */
  turn: number;
  message_id: string;
  source_message_id: string;
  sender_id: string;
  content: string;
  sent_at: number;
}

export const conversations = new Table<ConversationRow>('conversation', ['id', 'channel_id', 'erased_name']);
export const messages = new Table<MessageRow>('message', ['id', 'echo_id']);
export const formerEchoes = new Table<FormerEchoRow>('former_echo', ['echo_id']);
export const messageMedia = new Table<MessageMediaRow>('message_media', ['media']);
export const parkedSends = new Table<ParkedSendRow>('parked_send', ['message_id']);
export const parkedEchoes = new Table<ParkedEchoRow>('parked_echo', ['message_id']);
