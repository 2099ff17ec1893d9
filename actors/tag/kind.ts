import { defineKind } from '../runtime/kind.ts';
import { tagHandlers } from './commands.ts';
import type { TagCommands } from './contract.ts';
import { tagReader } from './reader.ts';
import { tagReads } from './reads.ts';
import { taggedConversations, tags } from './tables.ts';

/** A word that people put on conversations. */
export const tagKind = defineKind<TagCommands>()({
  name: 'tag',
  machine: null,
  table: tags,
  tables: [taggedConversations],
  // One that was never created is as good as deleted.
  blank: { name: '', color: 'tag-red', created_at: 0, deleted: 1 },
  reads: tagReads,
  load: () => null,
  handlers: tagHandlers,
  readers: { tags: tagReader },
});
