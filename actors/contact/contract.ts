import type { JsonObject } from '../representation.ts';
import type { Address } from '../runtime/kind.ts';

/** A conversation that has appeared, and what is known of the person in it. */
export interface Appearance {
  conversationId: string;
  source: string;
  displayName: string;
  avatarUrl?: string;
}

/** An answer without anything in it: what a contact shows is read from its rows, so that it stands nowhere else. */
export type Nothing = Record<string, never>;

/** The commands of a contact: type → body and result. None answers with content: answers are kept in the journal. */
export type ContactCommands = {
  /** The same again changes nothing. @throws Failure `metadata_too_large` */
  'contact.create': { body: { fields: JsonObject }; result: Nothing };
  /** The contact of a new conversation. One that was there before stays as it is, also when it is gone. */
  'contact.appear': { body: Appearance; result: Nothing };
  /** Absent = keep, `""` removes, nested too. @throws Failure `not_found`, `metadata_too_large` */
  'contact.update': { body: { fields: JsonObject }; result: Nothing };
  /** Its conversations and messages stay. @throws Failure `not_found` */
  'contact.delete': { body: null; result: Nothing };
  /** Forgets what it showed before a key and no longer does. */
  'contact.prune': { body: { before: number }; result: null };
};

/** The actor of a contact, as somebody whom other actors tell something. */
export const contactActor = (id: string): Address<ContactCommands> => ({ kind: 'contact', id });
