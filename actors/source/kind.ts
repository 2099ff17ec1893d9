import { defineKind } from '../runtime/kind.ts';
import { sourceHandlers } from './commands.ts';
import type { SourceCommands } from './contract.ts';
import { sourceReader } from './reader.ts';
import { sourceReads, sourcesToPrune } from './reads.ts';
import { parkedMetadata, sources } from './tables.ts';

/** A registered custom source. It owns the metadata that waits for its conversations and messages to appear. */
export const sourceKind = defineKind<SourceCommands>()({
  name: 'source',
  machine: null,
  table: sources,
  tables: [parkedMetadata],
  // One that was never created is as good as deleted.
  blank: { source_id: '', action_endpoint: null, name: null, image_url: null, issued_at: 0, deleted: 1 },
  reads: sourceReads,
  load: () => null,
  handlers: sourceHandlers,
  pruning: { period: 'parkedMetadata', command: 'metadata.prune', actors: sourcesToPrune },
  readers: { sources: sourceReader },
});
