import { assign, setup } from 'xstate';

/** How long a send waits for its conversation to appear, in ms (docs/api.md, "Sending"). */
export const awaitedFor = 30_000;

/** How long what may be an echo of a send waits for the answer that tells, in ms. */
export const echoParkedFor = 30_000;

/** How long a contact that types is shown to type without another sign of it, in ms. */
export const typingShownFor = 15_000;

export type ConversationEvent =
  /** The conversation appeared: an inbound message, or the start of one by us. */
  | { type: 'open' }
  /** Messages came in together; `fromContact`: how many of them the contact wrote. */
  | { type: 'messages.received'; fromContact: number }
  | { type: 'message.sent' }
  /** A send to a conversation that is not there yet. */
  | { type: 'send.park' }
  /** A message of the source that may be the echo of a send. */
  | { type: 'echo.park' }
  /** It is known of every such message what it is. */
  | { type: 'echo.settle' }
  | { type: 'read' }
  /** The contact types; again while it goes on. */
  | { type: 'typing.seen' }
  | { type: 'typing.ended' }
  | { type: 'workflow.set'; state: 'OPEN' | 'CLOSED' }
  | { type: 'workflow.remove' };

export interface ConversationContext {
  /** Messages of the contact since the last mark-read. */
  unread: number;
  /** Sends that wait for the conversation to appear. */
  parked: number;
}

/** The messages exchanged with one contact on one channel: whether it exists, what is unread, what people made of it. */
export const conversation = setup({
  types: {
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
  },
  actions: {
    /** Effect: send what was parked. */
    releaseParked: () => {},
    /** Effect: report every parked send as failed. */
    giveUpParked: () => {},
    /** Effect: show what turned out to be no echo. */
    releaseEchoes: () => {},
    /** Effect: show that the contact types. */
    showTyping: () => {},
    /** Effect: show it no longer. */
    hideTyping: () => {},
    park: assign({ parked: ({ context }) => context.parked + 1 }),
    unpark: assign({ parked: 0 }),
    countUnread: assign({ unread: ({ context }, { count }: { count: number }) => context.unread + count }),
    clearUnread: assign({ unread: 0 }),
  },
  guards: {
    isAny: (_, { count }: { count: number }) => count > 0,
    isOpen: (_, params: { state: 'OPEN' | 'CLOSED' }) => params.state === 'OPEN',
  },
  delays: { awaitedFor, echoParkedFor, typingShownFor },
}).createMachine({
  id: 'conversation',
  type: 'parallel',
  context: { unread: 0, parked: 0 },
  states: {
    presence: {
      initial: 'absent',
      states: {
        absent: {
          on: {
            open: 'present',
            'send.park': { target: 'awaited', actions: 'park' },
          },
        },
        awaited: {
          on: {
            open: { target: 'present', actions: ['releaseParked', 'unpark'] },
            'send.park': { actions: 'park' },
          },
          after: { awaitedFor: { target: 'absent', actions: ['giveUpParked', 'unpark'] } },
        },
        present: {
          on: {
            'messages.received': {
              guard: { type: 'isAny', params: ({ event }) => ({ count: event.fromContact }) },
              actions: { type: 'countUnread', params: ({ event }) => ({ count: event.fromContact }) },
            },
            'message.sent': {},
            read: { actions: 'clearUnread' },
          },
        },
      },
    },
    echoes: {
      initial: 'none',
      states: {
        none: { on: { 'echo.park': 'parked' } },
        parked: {
          on: { 'echo.settle': 'none' },
          after: { echoParkedFor: { target: 'none', actions: 'releaseEchoes' } },
        },
      },
    },
    typing: {
      initial: 'idle',
      states: {
        idle: { on: { 'typing.seen': { target: 'shown', actions: 'showTyping' } } },
        shown: {
          on: {
            'typing.seen': { target: 'shown', reenter: true },
            'typing.ended': { target: 'idle', actions: 'hideTyping' },
            // Whoever has sent the message is done with it.
            'messages.received': {
              guard: { type: 'isAny', params: ({ event }) => ({ count: event.fromContact }) },
              target: 'idle',
              actions: 'hideTyping',
            },
          },
          after: { typingShownFor: { target: 'idle', actions: 'hideTyping' } },
        },
      },
    },
    workflow: {
      initial: 'none',
      states: { none: {}, open: {}, closed: {} },
      on: {
        'workflow.set': [
          { guard: { type: 'isOpen', params: ({ event }) => ({ state: event.state }) }, target: '.open' },
          { target: '.closed' },
        ],
        'workflow.remove': '.none',
      },
    },
  },
});
