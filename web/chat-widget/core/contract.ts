/** The parts of the hub's chat plugin API that the widget speaks (docs/api.md, "Chat plugin"). */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What a Message holds, as its sender wrote it: `{text}` at its simplest. */
export type MessageContent = Json;

/** A Message as the hub shows it to a visitor. */
export interface Message {
  id: string;
  content: MessageContent;
  /** Written by the visitor. */
  from_contact: boolean;
  /** ISO 8601, UTC. */
  sent_at: string;
  sender?: { id: string; name?: string; avatar_url?: string };
}

/** The answer of `/chatplugin.authenticate`. */
export interface Authentication {
  /** Opens the other operations and the socket, for an hour. */
  token: string;
  /** What was written so far; empty for a new conversation. */
  messages: Message[];
  /** Where a socket goes on behind them. */
  cursor: string;
}

/** Where Messages arrive, and where it arrives that an agent types; where it is told that the visitor does. */
export const destinations = { messages: '/user/queue/message', typing: '/user/queue/typing', sendTyping: '/typing' };

/** A frame of the messages' queue: a Message, new or changed. */
export interface MessageFrame {
  message: Message;
}

/** A frame of the other queue. */
export interface TypingFrame {
  typing: boolean;
}
