import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

/** What lists and look-ups need of a contact; all that it shows stands in its versions. */
export interface ContactRow extends ActorRow {
  /** Key of its newest version; 0 before the first. */
  version: number;
  /** Its place in the list (`name-order.ts`); null: it is in no list, as it was never made or is gone. */
  sort: string | null;
  display_name: string | null;
  title: string | null;
  /** Id of the contact that it is part of, or is to be; null: of none. */
  merged_into: string | null;
  /** Epoch ms. */
  created_at: number;
}

/**
 * What a contact showed from one turn on. Events refer to versions, so what is erased in these rows is gone from
 * every event; a walk through the list finds in them where a contact stood when it began.
 */
export interface ContactVersionRow {
  key: number;
  /** Key of the contact. */
  contact: number;
  sort: string | null;
  /** JSON text of the contact as the API shows it. */
  shown: string;
}

/** A conversation that belongs to a contact. */
export interface ContactConversationRow {
  key: number;
  /** Key of the contact. */
  contact: number;
  /** Id of the conversation. */
  conversation: string;
  source: string;
}

/** A contact that became part of this one, as it was then. */
export interface ContactMergeRow {
  key: number;
  /** Key of the contact that has it. */
  contact: number;
  /** JSON text of the one that was merged. */
  shown: string;
}

export const contacts = new Table<ContactRow>('contact', ['id', 'merged_into']);
export const contactVersions = new Table<ContactVersionRow>('contact_version');
export const contactConversations = new Table<ContactConversationRow>('contact_conversation', ['conversation']);
export const contactMerges = new Table<ContactMergeRow>('contact_merge');
