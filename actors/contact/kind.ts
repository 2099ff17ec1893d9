import { defineKind } from '../runtime/kind.ts';
import { contactHandlers } from './commands.ts';
import { contactContradictions } from './contradictions.ts';
import type { ContactCommands } from './contract.ts';
import { contactRenderers } from './events.ts';
import { missingContactReader } from './missing.ts';
import { contactReader } from './reader.ts';
import { recentMessageReader } from './recent-reader.ts';
import { contactReads, contactsWithOldVersions } from './reads.ts';
import { contactConversations, contactMerges, contacts, contactVersions } from './tables.ts';

/** A person, over several conversations. */
export const contactKind = defineKind<ContactCommands>()({
  name: 'contact',
  machine: 'contact',
  table: contacts,
  tables: [contactVersions, contactConversations, contactMerges],
  blank: { version: 0, sort: null, display_name: null, title: null, merged_into: null, created_at: 0 },
  reads: contactReads,
  load: () => null,
  handlers: contactHandlers,
  // An actor with a row has been made. One that was erased may be made again.
  recognised: {
    'contact.create': () => ({}),
    'contact.appear': (reads, { key }) => (reads.isErased(key) ? null : {}),
  },
  renderers: contactRenderers,
  pruning: { period: 'journal', command: 'contact.prune', actors: contactsWithOldVersions },
  contradictions: contactContradictions,
  readers: { contacts: contactReader, missingContacts: missingContactReader, recentMessages: recentMessageReader },
});
