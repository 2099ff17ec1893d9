import { defineKind } from '../runtime/kind.ts';
import { templateHandlers } from './commands.ts';
import type { TemplateCommands } from './contract.ts';
import { templateReader } from './reader.ts';
import { templates } from './tables.ts';

/** A message that is written beforehand, for one source. */
export const templateKind = defineKind<TemplateCommands>()({
  name: 'template',
  machine: null,
  table: templates,
  // One that was never created is as good as deleted.
  blank: { name: '', source: '', content: 'null', created_at: 0, deleted: 1 },
  reads: () => null,
  load: () => null,
  handlers: templateHandlers,
  readers: { templates: templateReader },
});
