import { setup } from 'xstate';

export type ContactEvent = { type: 'create' } | { type: 'change' } | { type: 'delete' };

/** A person, over several conversations. Once deleted it stays so: nothing makes a second one of the same id. */
export const contact = setup({
  types: { events: {} as ContactEvent },
  actions: {
    /** Effect: show what it is now, and publish `contact.updated`. */
    announce: () => {},
  },
}).createMachine({
  id: 'contact',
  initial: 'unknown',
  states: {
    unknown: { on: { create: 'active' } },
    active: {
      entry: 'announce',
      on: { change: { actions: 'announce' }, delete: 'deleted' },
    },
    deleted: { entry: 'announce' },
  },
});
