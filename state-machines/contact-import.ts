import { setup } from 'xstate';

/** How long an import waits for the rest of it, in ms: whoever sent it has got no answer. */
export const collectedFor = 600_000;

export type ContactImportEvent =
  /** A part of it came. */
  | { type: 'add' }
  /** All of it is there: from now on it happens. */
  | { type: 'commit' }
  /** All of its contacts are there. */
  | { type: 'finish' };

/** Many contacts that are to be made, all of them or none. */
export const contactImport = setup({
  types: { events: {} as ContactImportEvent },
  actions: {
    /** Effect: have the contacts made. */
    carryOut: () => {},
    /** Effect: forget what was collected. */
    forget: () => {},
  },
  delays: { collectedFor },
}).createMachine({
  id: 'contact-import',
  initial: 'none',
  states: {
    none: { on: { add: 'collecting' } },
    collecting: {
      on: { commit: 'running' },
      after: { collectedFor: { target: 'none', actions: 'forget' } },
    },
    running: { entry: 'carryOut', on: { finish: 'done' } },
    done: { entry: 'forget' },
  },
});
