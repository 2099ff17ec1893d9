import { setup } from 'xstate';

/** How long a note stays open when nobody writes, in ms. */
export const openFor = 24 * 60 * 60 * 1_000;

export type NoteEvent = { type: 'write' } | { type: 'close' };

/** What people write down about a channel: open while it is written, closed by hand or by time. */
export const note = setup({
  types: { events: {} as NoteEvent },
  actions: {
    /** Effect: publish `note.updated`. */
    announce: () => {},
  },
  delays: { openFor },
}).createMachine({
  id: 'note',
  initial: 'closed',
  states: {
    closed: {
      on: { write: { target: 'open', actions: 'announce' } },
    },
    open: {
      on: {
        write: { target: 'open', reenter: true, actions: 'announce' },
        close: { target: 'closed', actions: 'announce' },
      },
      after: { openFor: { target: 'closed', actions: 'announce' } },
    },
  },
});
