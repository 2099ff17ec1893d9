import { defineKind } from '../runtime/kind.ts';
import { contactImportHandlers, importTimer } from './commands.ts';
import type { ContactImportCommands } from './contract.ts';
import { contactImportReader } from './reader.ts';
import { contactImportReads } from './reads.ts';
import { contactImportParts, contactImports } from './tables.ts';

/** Many contacts that come in one request, all of them or none. It keeps them until each is an actor of its own. */
export const contactImportKind = defineKind<ContactImportCommands>()({
  name: 'contact-import',
  machine: 'contact-import',
  table: contactImports,
  tables: [contactImportParts],
  blank: {},
  reads: contactImportReads,
  load: () => null,
  handlers: contactImportHandlers,
  recognised: {
    'import.add': (reads, { key }, { part }) => (reads.parts(key).has(part) ? {} : null),
  },
  onTimer: importTimer,
  transient: true,
  readers: { contactImports: contactImportReader },
});
