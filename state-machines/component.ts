import { setup } from 'xstate';

export type ComponentEvent =
  /** The configuration file has it on, and nobody has said anything else yet. */
  | { type: 'adopt' }
  | { type: 'install' }
  | { type: 'uninstall' }
  /** The running hub has followed the last `follow`. */
  | { type: 'followed' };

/** One module of the hub that can be installed and uninstalled while it runs. */
export const component = setup({
  types: { events: {} as ComponentEvent },
  actions: {
    /** Effect: have the running hub start, or stop, the module. It takes the place of an earlier one. */
    follow: () => {},
    /** Effect: switch the module on. */
    enable: () => {},
    /** Effect: publish `component.updated`. */
    announce: () => {},
  },
}).createMachine({
  id: 'component',
  initial: 'uninstalled',
  states: {
    uninstalled: {
      on: {
        adopt: { target: 'installed', actions: 'enable' },
        install: { target: 'pending.installing', actions: 'enable' },
      },
    },
    pending: {
      initial: 'installing',
      states: {
        installing: {
          entry: ['follow', 'announce'],
          on: {
            followed: { target: '#component.installed', actions: 'announce' },
            uninstall: 'uninstalling',
          },
        },
        uninstalling: {
          entry: ['follow', 'announce'],
          on: {
            followed: { target: '#component.uninstalled', actions: 'announce' },
            install: { target: 'installing', actions: 'enable' },
          },
        },
      },
    },
    installed: {
      on: { uninstall: 'pending.uninstalling' },
    },
  },
});
