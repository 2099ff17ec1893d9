import type { AnyStateMachine, EventFrom } from 'xstate';
import { channel } from './channel.ts';
import { component } from './component.ts';
import { contact } from './contact.ts';
import { contactImport } from './contact-import.ts';
import { conversation } from './conversation.ts';
import { messageDelivery } from './message-delivery.ts';
import { webhookDelivery } from './webhook-delivery.ts';
import { webhookSubscription } from './webhook-subscription.ts';

/** What is stored of a machine: our own small shape, not XState's. */
export interface StoredState {
  machineVersion: number;
  value: unknown;
  context: unknown;
}

export interface RegisteredMachine {
  machine: AnyStateMachine;
  /** Raised when a stored state of an older version must be changed to be read. */
  version: number;
  /** `migrations[n]` turns a stored state of version n + 1 into one of version n + 2. */
  migrations: ((state: StoredState) => StoredState)[];
}

/** Every machine of the hub by its id: what the host, the tests, the documentation and the visualizer iterate. */
export const registry = {
  conversation: {
    machine: conversation,
    version: 3,
    migrations: [
      (state) => ({ ...state, value: { ...(state.value as object), echoes: 'none' } }),
      (state) => ({ ...state, value: { ...(state.value as object), typing: 'idle' } }),
    ],
  },
  channel: { machine: channel, version: 1, migrations: [] },
  component: { machine: component, version: 1, migrations: [] },
  contact: { machine: contact, version: 1, migrations: [] },
  'contact-import': { machine: contactImport, version: 1, migrations: [] },
  'message-delivery': {
    machine: messageDelivery,
    version: 2,
    // A send is given up after a time: that of one under way begins with its next call.
    migrations: [(state) => ({ ...state, context: { ...(state.context as object), triedSince: null } })],
  },
  'webhook-subscription': { machine: webhookSubscription, version: 1, migrations: [] },
  'webhook-delivery': { machine: webhookDelivery, version: 1, migrations: [] },
} satisfies Record<string, RegisteredMachine>;

export type MachineId = keyof typeof registry;

/** What a machine may be stepped with: its own events, and those of its durable timers. */
export type EventOf<Id extends MachineId> =
  | EventFrom<(typeof registry)[Id]['machine']>
  | { type: `xstate.after.${string}` };
