import { sourceActorId } from '../ids.ts';
import type { JsonObject, SourceJson } from '../representation.ts';
import type { Address } from '../runtime/kind.ts';

/** How a source names a conversation or a message of its own. */
export interface TargetName {
  namespace: 'conversation' | 'message';
  /** The source's own id of it. */
  sourceId: string;
  /** Of a message: the source's own id of its conversation. */
  sourceConversationId?: string;
  /** The hub's id of the channel. Where it stands, a conversation's id fits one at most. */
  channelId?: string;
}

/** What a source says about a conversation or a message of its own. */
export interface ParkItem extends TargetName {
  metadata: JsonObject;
}

/** A conversation that is erased, by its own id and as its source knows it. */
export interface ForgottenConversation {
  conversationId: string;
  channelId: string;
  sourceConversationId: string;
}

/** The commands of a source: type → body and result. */
export type SourceCommands = {
  /** @throws Failure `source_exists` */
  'source.create': {
    body: { sourceId: string; actionEndpoint?: string; name?: string; imageUrl?: string };
    /** `issuedAt` (epoch seconds): the `iat` claim of the source's one valid token. */
    result: { source: SourceJson; issuedAt: number };
  };
  /** Absent = keep, null = clear. @throws Failure `not_found` */
  'source.update': {
    body: { actionEndpoint?: string | null; name?: string | null; imageUrl?: string | null };
    result: { source: SourceJson };
  };
  /** Its token is refused from now on; its channels are told to disconnect. @throws Failure `not_found` */
  'source.delete': { body: null; result: null };
  /**
   * Keeps metadata for conversations and messages that have not appeared yet; what has, since the caller looked, is its
   * own to apply: `appeared` are the indexes of those items. What is about something erased is dropped.
   * @throws Failure `too_many_unknown_targets`, `metadata_too_large`
   */
  'metadata.park': { body: { source: string; items: ParkItem[] }; result: { appeared: number[] } };
  /** Forgets parked metadata that has been applied. */
  'metadata.unpark': { body: { keys: number[] }; result: null };
  /** Forgets what is kept for a conversation that is erased, and for messages in it, also what could not be kept. */
  'metadata.forget': { body: ForgottenConversation; result: null };
  /** Forgets parked metadata that is older than a key, a part of it at a time; hands over what is for what is there. */
  'metadata.prune': { body: { before: number }; result: null };
};

/** The actor of a source, as somebody whom other actors tell something. */
export const sourceActor = (sourceId: string): Address<SourceCommands> => ({
  kind: 'source',
  id: sourceActorId(sourceId),
});
