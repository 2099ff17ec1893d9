import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { commandSenders } from '#src/runtime/command-sender.ts';
import { HostThread, type HostWatch } from '#src/runtime/host-thread.ts';
import { systemClock, SystemIds } from '#src/runtime/system.ts';
import { connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { sealKeys } from '../_support/config.ts';
import { connectTo, keepingLog, startServer, temporaryFolder } from '../nats/support.ts';
import { type Order, orders, program } from './unsteady-host.ts';

vi.stubEnv('PARLEY_LOG_LEVEL', 'silent');

interface Scene {
  thread: HostThread;
  log: ReturnType<typeof keepingLog>;
  commands: CommandSender;
  order(order: Order): void;
}

/** A host in a thread of its own that obeys orders, and a channel in its file. */
async function start(watch: HostWatch): Promise<Scene> {
  const { server } = await startServer();
  const log = keepingLog();
  const settings = { file: join(temporaryFolder(), 'parley.db'), durability: 'full', shards: 1, ...sealKeys } as const;
  const nats = { url: server.url, user: server.user, password: server.password.reveal() };
  const thread = new HostThread({ ...settings, retention: {}, nats }, log, { watch, program });
  const channel = new BroadcastChannel(orders);
  await thread.start();
  onTestFinished(async () => {
    channel.close();
    await thread.stop();
  });
  const bus = await connectTo(server, 'test');
  const commands = commandSenders({ bus, clock: systemClock, ids: new SystemIds(), shards: 1 })({ cause: 'test' });
  await connectTestChannel(commands);
  return { thread, log, commands, order: (order) => channel.postMessage(order) };
}

const ingest = ({ commands }: Scene, contact: string) =>
  commands.send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['hi']));

const newHang = () => ({ hangOn: new Int32Array(new SharedArrayBuffer(4)) });

test('a thread that hangs is a problem until it goes on', async () => {
  const scene = await start({ lookEvery: 50, hanging: 2, ended: 1_000 });
  const { thread, order } = scene;
  expect(thread.problem()).toBeNull();
  const hang = newHang();
  order(hang);
  await vi.waitFor(() => expect(thread.problem()).toBe('the actor host does not answer'), 3_000);
  const answer = ingest(scene, 'ann');
  Atomics.notify(hang.hangOn, 0);
  await expect(answer).resolves.toMatchObject({ messages: [{ duplicate: false }] });
  await vi.waitFor(() => expect(thread.problem()).toBeNull(), 3_000);
  expect(scene.log.lines).toEqual([]);
});

test('a thread that hangs for good is ended and replaced', async () => {
  const scene = await start({ lookEvery: 50, hanging: 2, ended: 6 });
  scene.order(newHang());
  await vi.waitFor(() => expect(scene.thread.problem()).not.toBeNull(), 3_000);
  await expect(ingest(scene, 'ann')).resolves.toMatchObject({ messages: [{ duplicate: false }] });
  await vi.waitFor(() => expect(scene.thread.problem()).toBeNull(), 3_000);
  expect(scene.log.lines.map(({ event }) => event)).toEqual(['host.hangs', 'host.exited', 'host.restarted']);
});

test('a thread that dies is a problem until another one runs', async () => {
  const scene = await start({ lookEvery: 50, hanging: 2, ended: 1_000 });
  await ingest(scene, 'ann');
  scene.order('die');
  await vi.waitFor(() => expect(scene.thread.problem()).toBe('the actor host is not running'), 3_000);
  await expect(ingest(scene, 'bob')).resolves.toMatchObject({ messages: [{ duplicate: false }] });
  await vi.waitFor(() => expect(scene.thread.problem()).toBeNull(), 3_000);
});

test('a thread that ends before it is ready is a failed start', async () => {
  const nowhere = { file: join(temporaryFolder(), 'parley.db'), durability: 'full', shards: 1, ...sealKeys } as const;
  const ending = new URL('data:text/javascript,process.exit(3)');
  const thread = new HostThread({ ...nowhere, retention: {}, nats: { url: '' } }, keepingLog(), { program: ending });
  await expect(thread.start()).rejects.toThrow('ended with code 3 before it was ready');
  await thread.stop();
});
