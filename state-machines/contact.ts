import { assign, setup } from 'xstate';

export type ContactEvent =
  | { type: 'create' }
  | { type: 'change' }
  | { type: 'delete' }
  /** It becomes part of another contact: `into` is its id. */
  | { type: 'merge'; into: string }
  /** The other contact, or one that this became part of, has it; `merges`: which merge that was. */
  | { type: 'absorbed'; merges: number }
  /** Nobody is there to take it: it was deleted. */
  | { type: 'given.back'; merges: number }
  /** It was merged into itself, by way of others, and is the one that stays. */
  | { type: 'revive' };

export interface ContactContext {
  /** Whom it is part of, or is to be; null: nobody. */
  into: string | null;
  /** How often it was merged: it may come back. */
  merges: number;
}

/** A person, over several conversations. Once deleted it stays so: nothing makes a second one of the same id. */
export const contact = setup({
  types: { context: {} as ContactContext, events: {} as ContactEvent },
  actions: {
    /** Effect: show what it is now, and publish `contact.updated`. */
    announce: () => {},
    /** Effect: give up its conversations, which are the other's now. */
    letGo: () => {},
    join: assign({
      into: (_, { into }: { into: string }) => into,
      merges: ({ context }) => context.merges + 1,
    }),
    comeBack: assign({ into: null }),
  },
  guards: {
    /** What is said of an earlier merge means nothing for this one. */
    isOfThisMerge: ({ context }, { merges }: { merges: number }) => merges === context.merges,
  },
}).createMachine({
  id: 'contact',
  initial: 'unknown',
  context: { into: null, merges: 0 },
  states: {
    unknown: { on: { create: 'active' } },
    active: {
      entry: 'announce',
      on: {
        change: { actions: 'announce' },
        delete: 'deleted',
        merge: { target: 'merging', actions: { type: 'join', params: ({ event }) => ({ into: event.into }) } },
      },
    },
    merging: {
      entry: 'announce',
      on: {
        absorbed: {
          guard: { type: 'isOfThisMerge', params: ({ event }) => ({ merges: event.merges }) },
          target: 'merged',
          actions: 'letGo',
        },
        'given.back': {
          guard: { type: 'isOfThisMerge', params: ({ event }) => ({ merges: event.merges }) },
          target: 'active',
          actions: 'comeBack',
        },
        revive: { target: 'active', actions: 'comeBack' },
      },
    },
    merged: { on: { revive: { target: 'active', actions: 'comeBack' } } },
    deleted: { entry: 'announce' },
  },
});
