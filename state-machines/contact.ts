import { assign, setup } from 'xstate';

/** What an erasure took the content of. */
export interface Erased {
  contacts: number;
  conversations: number;
  messages: number;
  /** Kept in the hub's own folder, and shown by nothing else. */
  files: number;
}

export const nothingErased: Erased = { contacts: 0, conversations: 0, messages: 0, files: 0 };

/** Whom an erased part tells of it: an erasure of a contact. */
export interface ErasureOf {
  contact: string;
  /** Which of its erasures it is. */
  erasure: number;
}

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
  | { type: 'revive' }
  /** Nothing of the person is to stay; `parts`: others whose part of it is to be erased; `partOf`: who waits for it. */
  | { type: 'erase'; parts: number; partOf: ErasureOf | null }
  /** A part has found parts of its own. */
  | { type: 'parts.found'; erasure: number; parts: number }
  | { type: 'part.erased'; erasure: number; erased: Erased };

export interface ContactContext {
  /** Whom it is part of, or is to be; null: nobody. */
  into: string | null;
  /** How often it was merged: it may come back. */
  merges: number;
  /** Its last erasure; null: there was none. */
  erasure: Erasure | null;
}

export interface Erasure {
  /** Which of its erasures it is, from 1. */
  number: number;
  /** Others that have yet to erase their part. */
  parts: number;
  /** What it took so far. */
  erased: Erased;
  partOf: ErasureOf | null;
}

const erasureAfter = ({ erasure }: ContactContext, { parts, partOf }: { parts: number; partOf: ErasureOf | null }) => ({
  number: (erasure?.number ?? 0) + 1,
  parts,
  erased: { contacts: 1, conversations: 0, messages: 0, files: 0 },
  partOf,
});

const withPart = (erasure: Erasure, { contacts, conversations, messages, files }: Erased): Erasure => ({
  ...erasure,
  parts: erasure.parts - 1,
  erased: {
    contacts: erasure.erased.contacts + contacts,
    conversations: erasure.erased.conversations + conversations,
    messages: erasure.erased.messages + messages,
    files: erasure.erased.files + files,
  },
});

/**
 * A person, over several conversations. Once deleted it stays so: nothing makes a second one of the same id. One that was
 * erased is there again when the person writes again, and knows nothing of before.
 */
export const contact = setup({
  types: { context: {} as ContactContext, events: {} as ContactEvent },
  actions: {
    /** Effect: show what it is now, and publish `contact.updated`. */
    announce: () => {},
    /** Effect: give up its conversations, which are the other's now. */
    letGo: () => {},
    /** Effect: tell who waits for it what was erased. */
    report: () => {},
    join: assign({
      into: (_, { into }: { into: string }) => into,
      merges: ({ context }) => context.merges + 1,
    }),
    comeBack: assign({ into: null }),
    begin: assign({
      erasure: ({ context }, params: { parts: number; partOf: ErasureOf | null }) => erasureAfter(context, params),
    }),
    expect: assign({
      erasure: ({ context: { erasure } }, { parts }: { parts: number }) =>
        erasure && { ...erasure, parts: erasure.parts + parts },
    }),
    count: assign({
      erasure: ({ context: { erasure } }, { erased }: { erased: Erased }) => erasure && withPart(erasure, erased),
    }),
  },
  guards: {
    /** What is said of an earlier merge means nothing for this one. */
    isOfThisMerge: ({ context }, { merges }: { merges: number }) => merges === context.merges,
    isOfThisErasure: ({ context }, { erasure }: { erasure: number }) => erasure === context.erasure?.number,
    endsErasure: ({ context: { erasure: last } }, { erasure }: { erasure: number }) =>
      erasure === last?.number && last.parts === 1,
  },
}).createMachine({
  id: 'contact',
  initial: 'unknown',
  context: { into: null, merges: 0, erasure: null },
  states: {
    unknown: { on: { create: 'active' } },
    active: {
      entry: 'announce',
      on: {
        change: { actions: 'announce' },
        delete: 'deleted',
        merge: { target: 'merging', actions: { type: 'join', params: ({ event }) => ({ into: event.into }) } },
        erase: { target: 'erasing', actions: [{ type: 'begin', params: ({ event }) => event }, 'announce'] },
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
    merged: {
      on: {
        revive: { target: 'active', actions: 'comeBack' },
        erase: { target: 'erasing', actions: { type: 'begin', params: ({ event }) => event } },
      },
    },
    deleted: {
      entry: 'announce',
      on: { erase: { target: 'erasing', actions: { type: 'begin', params: ({ event }) => event } } },
    },
    erasing: {
      on: {
        'parts.found': {
          guard: { type: 'isOfThisErasure', params: ({ event }) => event },
          actions: { type: 'expect', params: ({ event }) => event },
        },
        'part.erased': [
          {
            guard: { type: 'endsErasure', params: ({ event }) => event },
            target: 'erased',
            actions: { type: 'count', params: ({ event }) => event },
          },
          {
            guard: { type: 'isOfThisErasure', params: ({ event }) => event },
            actions: { type: 'count', params: ({ event }) => event },
          },
        ],
      },
    },
    erased: {
      entry: 'report',
      on: {
        create: { target: 'active', actions: 'comeBack' },
        erase: { target: 'erasing', actions: { type: 'begin', params: ({ event }) => event } },
      },
    },
  },
});
