import { setup } from 'xstate';

export type ChannelEvent = { type: 'connect' } | { type: 'disconnect' } | { type: 'update' };

/** One connection to one account on a source. Connecting again updates it; disconnecting twice changes nothing. */
export const channel = setup({
  types: { events: {} as ChannelEvent },
  actions: {
    /** Effect: publish `channel.updated`. */
    announce: () => {},
    /** Effect: delete the stored token. */
    forgetToken: () => {},
  },
}).createMachine({
  id: 'channel',
  initial: 'unknown',
  states: {
    unknown: {
      on: { connect: 'connected' },
    },
    connected: {
      entry: 'announce',
      on: {
        connect: { target: 'connected', reenter: true },
        update: { actions: 'announce' },
        disconnect: 'disconnected',
      },
    },
    disconnected: {
      entry: ['forgetToken', 'announce'],
      on: {
        connect: 'connected',
        update: { actions: 'announce' },
        disconnect: {},
      },
    },
  },
});
