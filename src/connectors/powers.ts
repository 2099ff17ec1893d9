import type { ChannelJson, Json } from '#actors/representation.ts';
import type { CallTools } from './calls.ts';

/**
 * What only some sources can do: each an interface, which a connector has or has not. Whoever uses a power asks whether
 * it is there; nobody asks which source it is.
 */

/** The power to write first: most sources wait for the contact. */
export interface ConversationStarter {
  /**
   * The source's own id of the conversation with a recipient: what its answers will name.
   * @param source of the channel, where a connector speaks to several
   */
  conversationWith(recipient: string, source: string): string;
}

/** The power to tell whether its source lets it in. Without it, what came of the last message says how it is. */
export interface ConnectionChecker {
  /** One cheap call that changes nothing at the source. Null: it is let in; else a sentence. Must not reject. */
  check(tools: CallTools): Promise<string | null>;
}

/** A conversation at its source. */
export interface ConversationAtSource {
  sourceConversationId: string;
  channel: ChannelJson;
  /** What the account was connected with; null: nothing. A secret. */
  token: string | null;
}

/** The power to tell who a contact is. */
export interface ProfileReader {
  /** Must not reject. */
  profileOf(conversation: ConversationAtSource, tools: CallTools): Promise<ProfileOutcome>;
}

/** `unknown`: the source says nothing of the contact, now or later. */
export type ProfileOutcome =
  | { kind: 'found'; name: string | null; avatarUrl: string | null }
  | { kind: 'unknown'; error: string }
  | { kind: 'unreachable'; error: string };

/** The power to show the contact that their messages were read. */
export interface ReadMarker {
  /** @param lastMessage the source's own id of the contact's last message @returns whether it is to be tried again */
  markRead(conversation: ConversationAtSource, lastMessage: string, tools: CallTools): Promise<'done' | 'unreachable'>;
}

/** The power to show the contact that somebody writes. */
export interface TypingNotifier {
  /** Nobody waits for it, and it is not tried again. Must not reject. */
  notify(conversation: ConversationAtSource, typing: boolean, tools: CallTools): Promise<void>;
}

/** The power to name the files of a message, whose links expire or need a credential. */
export interface MediaLocator {
  /** Pure; must not throw, whatever the content is. */
  locate(content: Json): readonly MediaLink[];
  /** Where a file can be loaded now, with the headers that it needs. Null: nowhere any more. Must not reject. */
  open(link: MediaLink, conversation: ConversationAtSource, tools: CallTools): Promise<OpenedMedia | null>;
}

export interface MediaLink {
  /** Tells it from the other files of the message, always alike: `0`, `image`. */
  name: string;
  /** An address, or the platform's id of the file. */
  at: string;
}

export interface OpenedMedia {
  url: string;
  headers: Record<string, string>;
}

/** How often a platform takes messages. What would be too often waits in the hub. */
export interface SendLimits {
  perChannel?: SendRate;
  perConversation?: SendRate;
}

/** A bucket of `burst` messages that fills by `perSecond`. */
export interface SendRate {
  perSecond: number;
  burst: number;
}

/** How long after a contact's last message a platform takes free answers. */
export interface MessagingWindow {
  /** In ms. */
  length: number;
  /** Whether the platform takes this content also later, such as a template. Pure; must not throw. */
  takesLater(content: Json): boolean;
  /** What an agent reads whose message comes too late: what can be sent instead. */
  closed: string;
}
