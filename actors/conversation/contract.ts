import type { ErasureOf } from '#machines/contact.ts';
import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { Json, JsonObject, MessageJson } from '../representation.ts';
import type { Address } from '../runtime/kind.ts';

/** Who wrote a message: `<provider>:<user id>`, or the source's id of the contact. */
export interface Sender {
  id: string;
  name?: string;
  avatar_url?: string;
}

/** One inbound message; its id follows from what the source named (`messageId`). */
export interface InboundMessage {
  id: string;
  sourceMessageId: string;
  senderId: string;
  content: Json;
  fromContact: boolean;
  /** Epoch ms. */
  sentAt: number;
  /** It has files that are to be copied. */
  media?: true;
}

/** What became of one inbound message. `duplicate`: it had been stored before. */
export interface IngestedMessage {
  source_message_id: string;
  id: string;
  conversation_id: string;
  duplicate: boolean;
}

/** What a source says, one thing after the other, about one message; `messageId` null: about the conversation. */
export interface SaidMetadata {
  messageId: string | null;
  metadata: JsonObject[];
}

/** Where a conversation is: all that creating it needs. */
export interface ConversationOrigin {
  channelId: string;
  source: string;
  sourceConversationId: string;
  /** Contacts are kept: one is made for it when it appears. */
  contact?: true;
  /** Its source can be asked who the contact is: it is, when the conversation appears. */
  profile?: true;
  /** How long after a message of the contact its source takes free answers, in ms; absent: always. */
  window?: number;
}

/** How far a conversation is that is being erased. */
export interface ConversationErasure {
  partOf: ErasureOf;
  /** Keys of rows: what is older than `before` goes; what is older than `since` went with an erasure before this one. */
  since: number;
  before: number;
  /** Key of the turn that began it. */
  turn: number;
  /** Messages that were erased. */
  messages: number;
  /** The last one of them. */
  after?: { sentAt: number; key: number };
  /** Key of the turn that is looked at next; absent: the newest. */
  from?: number;
}

/** The commands of a conversation: type → body and result. */
export type ConversationCommands = {
  /**
   * Creates the conversation when it is new. A message already stored is reported as a duplicate. `said`: what the source
   * says of the conversation itself besides, merged in its order; what would be too large is left out.
   */
  'messages.ingest': {
    body: { origin: ConversationOrigin; messages: InboundMessage[]; said?: JsonObject[] };
    result: { messages: IngestedMessage[] };
  };
  /**
   * `message` null: the conversation is not there yet; the send is parked up to 30 s. With `origin` the conversation
   * is created (starting a conversation with a recipient).
   */
  'message.send': {
    body: { messageId: string; content: Json; sender: Sender; origin?: ConversationOrigin };
    result: { message: MessageJson | null };
  };
  /** @throws Failure `message_not_failed`, `not_found` */
  'message.resend': { body: { messageId: string }; result: { message: MessageJson } };
  /** Replaces `metadata.suggestions`. @throws Failure `not_found`, `metadata_too_large` */
  'message.suggest-replies': { body: { messageId: string; suggestions: JsonObject }; result: { message: MessageJson } };
  /**
   * Merges `data` under `metadata.user_data` of the conversation or of one of its messages; `null` removes a key.
   * @throws Failure `not_found`, `metadata_too_large`
   */
  'metadata.upsert': { body: { messageId: string | null; data: JsonObject }; result: null };
  /**
   * Merges what a source says at the top level: about messages, and (null) about the conversation itself. Each of them
   * stands once in `about`, with all that is said of it in its order. @throws Failure `not_found`, `metadata_too_large`
   */
  'metadata.merge': { body: { about: SaidMetadata[] }; result: null };
  /** `tellSource`: the contact is to see it. */
  'conversation.mark-read': { body: { tellSource: true } | null; result: null };
  /** Its source is asked again who the contact is. @throws Failure `not_found` */
  'conversation.refetch': { body: null; result: null };
  /** What was fetched for it (`fetches.ts`; key of the effect), and what that says; done twice, it is the same. */
  'fetch.finish': { body: { effect: number; said: SaidMetadata | null }; result: null };
  'conversation.set-state': { body: { state: 'OPEN' | 'CLOSED' }; result: null };
  'conversation.remove-state': { body: null; result: null };
  /** Names the contact, whatever the source calls it; an empty name leaves that to the source again. */
  'conversation.update-contact': { body: { displayName: string }; result: null };
  /** Puts a tag on it, which it may have. @throws Failure `not_found` also for the tag, `metadata_too_large` */
  'conversation.tag': { body: { tagId: string }; result: null };
  /** Takes a tag off, if it has it. @throws Failure `not_found` also for the tag */
  'conversation.untag': { body: { tagId: string }; result: null };
  /**
   * The contact types, or stopped; a Message of the contact ends it too, and time does. Done twice, it is the same.
   * @throws Failure `not_found`, `metadata_too_large`
   */
  'contact.typing': { body: { typing: boolean }; result: { shown: boolean } };
  /**
   * Messages of ours that were sent until then (epoch ms) got so far at the source: those that were not known to be so
   * far. `state` as of a receipt. @throws Failure `not_found`
   */
  'messages.reached': { body: { state: string; until: number }; result: null };
  /** The contact has these messages of ours: those that were on their way are delivered. @throws Failure `not_found` */
  'messages.collect': { body: { messageIds: string[] }; result: { collected: string[] } };
  /** The tag was deleted. */
  'conversation.drop-tag': { body: { tagId: string }; result: null };
  /** Nothing of the person is to stay: what it shows itself goes at once. It tells when all is done. */
  'conversation.erase': { body: { partOf: ErasureOf }; result: null };
  /** Goes on with its messages, and then with what its turns told. */
  'conversation.erase-messages': { body: ConversationErasure; result: null };
  'conversation.erase-turns': { body: ConversationErasure; result: null };
  /** Its contact was still being erased when the person wrote again, and can be there now. */
  'conversation.introduce': { body: null; result: null };
  /**
   * A dispatcher is about to call the source: `started: false` when the message is no longer waiting for it. `revision`
   * tells this attempt from every other one of the message.
   */
  'attempt.start': {
    body: { messageId: string; effectId: string };
    result: { started: boolean; attempt: number; revision: number };
  };
  /**
   * What the call came to, or that nobody is to be called. While another attempt than that of `revision` is in progress, only a success counts.
   * `retryAt` (epoch ms): when the lane goes on, null when the message has left the lane.
   */
  'attempt.finish': {
    body: { messageId: string; effectId: string; revision: number; outcome: AttemptOutcome };
    result: { retryAt: number | null };
  };
};

/** A conversation, as somebody whom other actors tell something. */
export const conversationActor = (id: string): Address<ConversationCommands> => ({ kind: 'conversation', id });
