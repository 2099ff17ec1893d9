import { defineKind } from '../runtime/kind.ts';
import { componentHandlers } from './commands.ts';
import { componentContradictions } from './contradictions.ts';
import type { ComponentCommands } from './contract.ts';
import { componentReader } from './reader.ts';
import { components } from './tables.ts';

/** One entry of the catalogue: whether it is installed and on, and its configuration. */
export const componentKind = defineKind<ComponentCommands>()({
  name: 'component',
  machine: 'component',
  table: components,
  blank: { name: '', enabled: 0, configuration: null, shown: null },
  reads: () => null,
  load: () => null,
  handlers: componentHandlers,
  contradictions: componentContradictions,
  readers: { components: componentReader },
});
