import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import { componentActorId } from '#actors/ids.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf } from './support.ts';

const name = 'sources-telco';
const id = componentActorId(name);
const values = { saFile: 'a file that is secret', authToken: 'a-token-of-the-account' };
const shown = { saFile: 'a fi...', authToken: 'a-to...' };

const fail = (): never => {
  throw new Error('a defect');
};

const configuration = { secret: JSON.stringify(values), shown };

/** A system with one component, which the file has on or off. */
function start(inFile = false, among = kinds) {
  const system = new ActorSystem({ kinds: among });
  const commands = system.commands();
  const named = { name, inFile };
  const reader = system.reader();
  return {
    system,
    stored: () => reader.components.stored(),
    effects: () => reader.outbox.after(0, 0, 10),
    install: () => commands.send('component', id, 'component.install', named),
    uninstall: () => commands.send('component', id, 'component.uninstall', named),
    remove: () => commands.send('component', id, 'component.delete', named),
    update: (enabled: boolean, given?: { secret: string; shown: typeof shown }) =>
      commands.send('component', id, 'component.update', {
        ...named,
        enabled,
        ...(given && { configuration: given }),
      }),
    followed: (effectId: string) => commands.send('component', id, 'component.followed', { effectId }),
    async [Symbol.asyncDispose]() {
      reader.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

test('one that is installed waits for the hub to follow', async () => {
  await using hub = start();
  await hub.install();
  expect(hub.stored()).toEqual([{ name, status: 'pending', isOn: true, enabled: true, configuration: null }]);
  const [effect] = hub.effects();
  await hub.followed(effect!.id);
  await hub.followed(effect!.id);
  expect(hub.stored()).toMatchObject([{ status: 'installed', isOn: true }]);
  expect(hub.effects()).toEqual([]);
  const payloads = eventsOf(hub.system).map(({ payload }) => payload);
  expect(payloads).toEqual([
    { name, installation_status: 'pending', enabled: true },
    { name, installation_status: 'installed', enabled: true },
  ]);
  expectSound(hub.system);
});

test('only the last wish is followed', async () => {
  await using hub = start();
  await hub.install();
  const [before] = hub.effects();
  await hub.uninstall();
  const effects = hub.effects();
  expect(effects).toHaveLength(1);
  await hub.followed(before!.id);
  expect(hub.stored()).toMatchObject([{ status: 'pending', isOn: false }]);
  expectSound(hub.system);
  await hub.followed(effects[0]!.id);
  expect(hub.stored()).toMatchObject([{ status: 'uninstalled', isOn: false }]);
  expectSound(hub.system);
});

test('one that the file has on is there to be uninstalled', async () => {
  await using hub = start(true);
  await hub.install();
  expect([hub.stored(), eventsOf(hub.system)]).toMatchObject([[{ status: 'installed', isOn: true }], []]);
  await hub.uninstall();
  expect(hub.stored()).toMatchObject([{ status: 'pending', isOn: false }]);
});

test('one that is not installed can not be configured', async () => {
  await using hub = start();
  expect(await failureOf(hub.update(true, configuration))).toBe('not_found');
  expect(hub.stored()).toEqual([]);
  await hub.install();
  expect(await failureOf(hub.update(true, configuration))).toBe('not_found');
  expect(hub.stored()).toMatchObject([{ status: 'pending', configuration: null }]);
});

test('an update without a configuration keeps it', async () => {
  await using hub = start(true);
  await hub.update(true, configuration);
  await hub.update(false);
  expect(hub.stored()).toMatchObject([{ isOn: false, configuration: values }]);
  await hub.update(true);
  expect(hub.stored()).toMatchObject([{ isOn: true, configuration: values }]);
  expectSound(hub.system);
});

test('one that was off is on when it is installed again', async () => {
  await using hub = start(true);
  await hub.update(false);
  await hub.uninstall();
  await hub.install();
  expect(hub.stored()).toMatchObject([{ isOn: true }]);
});

test('deleting forgets the configuration and switches off', async () => {
  await using hub = start(true);
  await hub.update(true, configuration);
  await hub.remove();
  expect(hub.stored()).toMatchObject([{ status: 'installed', isOn: false, configuration: {} }]);
});

test('a secret stands nowhere in plain text', async () => {
  await using hub = start(true);
  await hub.update(true, configuration);
  await hub.uninstall();
  expect(eventsOf(hub.system).map(({ payload }) => payload.configuration)).toEqual([shown, shown]);
  expect(JSON.stringify(rowsOf(hub.system.file))).not.toContain(values.authToken);
});

test('a dead letter of a configuration shows no secret', async () => {
  const broken = kinds.map((kind) =>
    kind.name === 'component' ? { ...kind, handlers: { 'component.update': fail } } : kind,
  );
  await using hub = start(true, broken);
  expect(await failureOf(hub.update(true, configuration))).toBe('internal');
  const reader = hub.system.reader();
  const { items } = reader.deadLetters.page({ limit: 1, from: null });
  reader.close();
  expect(items).toHaveLength(1);
  expect(items[0]!.text).not.toContain(values.authToken);
  expect(items[0]!.text).not.toContain(values.saFile);
});

test.each([
  ['UPDATE component SET value = \'"installed"\'', 'it is installed and has 1 effects'],
  ['DELETE FROM outbox', 'it is pending and has 0 effects'],
  ["UPDATE component SET shown = '{}'", 'what is shown is of another configuration'],
])('the check of a file notices: %s', async (sql, problem) => {
  await using hub = start();
  await hub.install();
  await hub.system.stop();
  const db = new Database(hub.system.file);
  db.exec(sql);
  db.close();
  expect(verifyFile(hub.system.file, kinds).problems).toContainEqual(expect.stringContaining(problem));
});
