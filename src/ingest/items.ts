import type { Json, JsonObject } from '#actors/representation.ts';

/** What came in from one source, in the hub's words and with the source's own ids. */
export interface Inbound {
  /** The name of the source: what its channels are listed under. */
  source: string;
  messages: readonly MessageItem[];
  metadata: readonly MetadataItem[];
  receipts: readonly ReceiptItem[];
  /** What happens in conversations besides messages; absent: nothing. */
  signals?: readonly SignalItem[];
}

/** In the place of a time that a source does not say: no time can be so late. Such a message was sent when it came. */
export const timeUnknown = Date.UTC(2100, 0, 1);

/** A message, written by the contact or by somebody else on the source's side. */
export interface MessageItem {
  /** A repetition of an id is no second message. */
  id: string;
  conversation: string;
  channel: string;
  sender: string;
  /** Exactly as it came. */
  content: Json;
  fromContact: boolean;
  /** Epoch ms, or `timeUnknown`. */
  sentAt: number;
}

/** What a source says about one of its conversations or messages: merged into its metadata. */
export interface MetadataItem {
  namespace: 'conversation' | 'message';
  /** The source's own id of it. */
  sourceId: string;
  /** Where it is: the channel, and of a message its conversation. Without them an id that fits several names none. */
  channel?: string;
  conversation?: string;
  metadata: JsonObject;
}

/** How far a message of ours got on the source's side. */
export interface ReceiptItem {
  /** The source's own id of the message. */
  message: string;
  /** In the source's own word: `sent`, `delivered`, `seen`, … */
  state: string;
}

/** Something that happened in a conversation of a source. */
export type SignalItem = { channel: string; conversation: string } & (
  | { kind: 'typing'; typing: boolean }
  /** Every message of ours that was sent until then (epoch ms) got so far. `state` as of a receipt. */
  | { kind: 'reached'; state: string; until: number }
  /** The contact asks for a person. */
  | { kind: 'agent-requested' }
);
