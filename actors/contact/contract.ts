import type { Erased, ErasureOf } from '#machines/contact.ts';
import type { ContactJson, JsonObject } from '../representation.ts';
import type { Address } from '../runtime/kind.ts';

/** A conversation that has appeared, and what is known of the person in it. */
export interface Appearance {
  conversationId: string;
  source: string;
  displayName: string;
  avatarUrl?: string;
}

/** A contact on its way into another one. */
export interface MergedContact {
  /** Whose it is, and which of its merges this is. */
  from: string;
  merges: number;
  /** Contacts that it came through, as they are part of another one themselves; `from` is the first. */
  path: string[];
  /** They are all part of each other, and the receiver is the one that is to stay. */
  cycle?: string[];
  /** As it was, and what it had absorbed itself, oldest first. */
  contact: ContactJson;
  history: ContactJson[];
}

/** An answer without anything in it: what a contact shows is read from its rows, so that it stands nowhere else. */
export type Nothing = Record<string, never>;

/** The commands of a contact: type → body and result. None answers with content: answers are kept in the journal. */
export type ContactCommands = {
  /**
   * `joining`: contacts that are asked to become part of it. The same again changes nothing.
   * @throws Failure `metadata_too_large`
   */
  'contact.create': { body: { fields: JsonObject; joining?: string[] }; result: Nothing };
  /**
   * The contact of a new conversation, or of one whose person writes again after everything was erased. One that was
   * there before stays as it is, also when it is gone.
   */
  'contact.appear': { body: Appearance; result: Nothing };
  /** Absent = keep, `""` removes, nested too. @throws Failure `not_found`, `metadata_too_large` */
  'contact.update': { body: { fields: JsonObject }; result: Nothing };
  /** Its conversations and messages stay, also for it to be erased with. @throws Failure `not_found` */
  'contact.delete': { body: null; result: Nothing };
  /**
   * Makes it part of another contact, which is told to absorb it; `merges`: which of its merges that is. The same again changes nothing.
   * @throws Failure `not_found`, also when it is part of a third one; `invalid_request` when it has too many conversations
   */
  'contact.merge': { body: { into: string }; result: { merges: number } };
  /** Takes in another contact, or passes it on to where this one went. */
  'contact.absorb': { body: MergedContact; result: Nothing };
  /** It is part of another contact now. */
  'contact.absorbed': { body: { merges: number }; result: Nothing };
  /** The other contact is not there: it stays what it was. */
  'contact.give-back': { body: { merges: number }; result: Nothing };
  /**
   * Erases the person: what the contact, those that became part of it, and their conversations hold. The same again while
   * it is under way changes nothing. @throws Failure `not_found`
   */
  'contact.erase': { body: null; result: ErasureOf };
  /** It became part of a contact that is being erased. */
  'contact.erase-part': { body: { partOf: ErasureOf }; result: Nothing };
  /** Goes on with what it showed. */
  'contact.erase-versions': { body: Nothing; result: Nothing };
  /** Its erasure takes more than was known: so many others erase their part. */
  'contact.parts-found': { body: { erasure: number; parts: number }; result: Nothing };
  'contact.part-erased': { body: { erasure: number; erased: Erased }; result: Nothing };
  /** Forgets what it showed before a key and no longer does. */
  'contact.prune': { body: { before: number }; result: null };
};

/** The actor of a contact, as somebody whom other actors tell something. */
export const contactActor = (id: string): Address<ContactCommands> => ({ kind: 'contact', id });
