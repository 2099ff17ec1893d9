import { afterEach, expect, test } from 'vitest';
import { setup } from 'xstate';
import { verifyFile } from '#actors/journal/verify.ts';
import { migrated } from '#actors/journal/turn.ts';
import { kinds } from '#actors/kinds.ts';
import { type RegisteredMachine, registry, type StoredState } from '#machines/registry.ts';
import { ActorSystem, connectTestChannel, testChannel } from '../_support/actor-system.ts';
import { elapse, eventsOf, rowsOf, stepsOf, turnsOf } from './support.ts';

const hour = 60 * 60 * 1000;
const machines = registry as Record<string, RegisteredMachine>;
const first = machines['channel']!;

/** The channel's machine as a later release has it: other names, and it counts its connections. */
const second: RegisteredMachine = {
  machine: setup({
    types: { events: {} as { type: 'connect' } | { type: 'disconnect' } | { type: 'update' } },
    actions: { announce: () => {}, forgetToken: () => {} },
  }).createMachine({
    id: 'channel',
    initial: 'none',
    context: { times: 0 },
    states: {
      none: { on: { connect: 'on' } },
      on: {
        entry: ['announce', ({ context }) => context],
        on: { connect: { target: 'on', reenter: true }, update: { actions: 'announce' }, disconnect: 'off' },
      },
      off: { entry: ['forgetToken', 'announce'], on: { connect: 'on', update: { actions: 'announce' } } },
    },
  }),
  version: 2,
  migrations: [
    ({ value, ...state }: StoredState): StoredState => ({
      ...state,
      value: { unknown: 'none', connected: 'on', disconnected: 'off' }[String(value)],
      context: { times: 1 },
    }),
  ],
};

afterEach(() => {
  machines['channel'] = first;
});

const problems = (system: ActorSystem) => verifyFile(system.file, kinds).problems;

/** A file of the first release, opened by the second one. */
async function upgraded(): Promise<ActorSystem> {
  const system = new ActorSystem({ retention: { journal: hour } });
  await connectTestChannel(system.commands());
  await system.commands().send('channel', testChannel, 'channel.update', { name: 'Other' });
  machines['channel'] = second;
  await system.restart();
  return system;
}

test('a stored state is migrated by its next turn', async () => {
  await using system = await upgraded();
  expect(problems(system)).toEqual([]);
  await system.commands().send('channel', testChannel, 'channel.disconnect', null);
  expect(rowsOf(system.file).channel).toMatchObject([
    { machine_version: 2, revision: 4, value: '"off"', context: '{"times":1}', connected: 0 },
  ]);
  expect(stepsOf(system.file).map(({ revision, version, event }) => [revision, version, event.type])).toEqual([
    [1, 1, 'connect'],
    [2, 1, 'update'],
    [3, 2, migrated],
    [4, 2, 'disconnect'],
  ]);
  expect(problems(system)).toEqual([]);
});

test('a migration is a step that the journal keeps and checks', async () => {
  await using system = await upgraded();
  await connectTestChannel(system.commands());
  await system.restart();
  await connectTestChannel(system.commands());
  expect(stepsOf(system.file).map(({ version }) => version)).toEqual([1, 1, 2, 2, 2]);
  expect(eventsOf(system).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(problems(system)).toEqual([]);
});

test('steps of an older machine are forgotten as others are', async () => {
  await using system = await upgraded();
  await elapse(system, hour * 1.25, hour / 32);
  expect(turnsOf(system.file)).toEqual([]);
  expect(problems(system)).toEqual([]);
  await system.commands().send('channel', testChannel, 'channel.disconnect', null);
  expect(rowsOf(system.file).channel).toMatchObject([{ machine_version: 2, revision: 4, value: '"off"' }]);
  expect(problems(system)).toEqual([]);
  await elapse(system, hour * 1.25, hour / 32);
  await connectTestChannel(system.commands());
  expect(turnsOf(system.file)).toHaveLength(1);
  expect(problems(system)).toEqual([]);
});

test('steps from before and after a migration go together', async () => {
  await using system = await upgraded();
  await connectTestChannel(system.commands());
  await elapse(system, hour * 1.25, hour / 32);
  expect(turnsOf(system.file)).toEqual([]);
  expect(rowsOf(system.file).base).toMatchObject([{ machine_version: 2, revision: 4, value: '"on"' }]);
  await connectTestChannel(system.commands());
  expect(problems(system)).toEqual([]);
});

test('a base of an older machine takes later steps of it', async () => {
  await using system = new ActorSystem({ retention: { journal: hour } });
  await connectTestChannel(system.commands());
  await elapse(system, hour * 1.25, hour / 32);
  expect(rowsOf(system.file).base).toMatchObject([{ machine_version: 1, revision: 1, value: '"connected"' }]);
  await system.commands().send('channel', testChannel, 'channel.update', { name: 'Other' });
  machines['channel'] = second;
  await system.restart();
  expect(problems(system)).toEqual([]);
  await elapse(system, hour * 1.25, hour / 32);
  expect(turnsOf(system.file)).toEqual([]);
  expect(rowsOf(system.file).base).toMatchObject([{ machine_version: 1, revision: 2 }]);
  expect(problems(system)).toEqual([]);
  await system.commands().send('channel', testChannel, 'channel.disconnect', null);
  expect(rowsOf(system.file).channel).toMatchObject([{ machine_version: 2, revision: 4, value: '"off"' }]);
  await elapse(system, hour * 1.25, hour / 32);
  expect(rowsOf(system.file).base).toMatchObject([{ machine_version: 2, revision: 4, value: '"off"' }]);
  expect(problems(system)).toEqual([]);
});
