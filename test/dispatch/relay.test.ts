import { expect, test, vi } from 'vitest';
import { channelActor } from '#actors/channel/contract.ts';
import { Failure } from '#actors/errors.ts';
import { channelId, sourceActorId } from '#actors/ids.ts';
import { BusError } from '#actors/ports.ts';
import { runtimeCommands } from '#actors/runtime/runtime-commands.ts';
import { decode, type Envelope } from '#actors/runtime/envelope.ts';
import { tellEffect } from '#actors/runtime/runtime-commands.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import { Lanes } from '#src/dispatch/lanes.ts';
import { relay } from '#src/dispatch/relay.ts';
import { ActorSystem, conversationOf } from '../_support/actor-system.ts';
import { envelopeFor, eventsOf, expectSound, request, rowsOf, turnsOf, withHandlers } from '../actors/support.ts';

const shards = 4;
const source = 'acme';
const lines = ['a', 'b', 'c', 'd', 'e'].map((line) => channelId(source, line));

/** What carries out what actors tell each other, as a process has it. */
class Relaying {
  readonly reader: OpenStoreReader;
  readonly lanes: Lanes;
  readonly warned: Record<string, unknown>[] = [];
  #stopping = false;

  constructor(system: ActorSystem) {
    this.reader = system.reader();
    const { clock } = system;
    const log = { info() {}, error() {}, warn: (fields: Record<string, unknown>) => void this.warned.push(fields) };
    const options = { clock, log, commandsFor: system.commands.bind(system), stopping: () => this.#stopping };
    this.lanes = new Lanes({
      ...{ outbox: this.reader.outbox, shards, owns: () => true, clock },
      perform: (effect) => relay(options, effect),
      groupOf: () => '',
      failed(error) {
        throw error;
      },
    });
    this.lanes.wake();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.lanes.stop();
    this.reader.close();
  }
}

/** A source with five connected channels, in several shards. */
async function withChannels(options: ConstructorParameters<typeof ActorSystem>[0] = {}): Promise<ActorSystem> {
  const system = new ActorSystem({ shards, ...options });
  const commands = system.commands();
  await commands.send('source', sourceActorId(source), 'source.create', { sourceId: source });
  for (const [n, id] of lines.entries()) {
    const body = { source, sourceChannelId: 'abcde'[n]!, sourceId: source, name: `Line ${n}`, token: 'secret' };
    await commands.send('channel', id, 'channel.connect', body);
  }
  return system;
}

const deleteSource = (system: ActorSystem) =>
  system.commands().send('source', sourceActorId(source), 'source.delete', null);

const disconnected = (system: ActorSystem): number =>
  rowsOf(system.file).channel.filter(({ connected, token }) => connected === 0 && token === null).length;

const outbox = (system: ActorSystem) => rowsOf(system.file).outbox;

/** Turns in which channels were told to disconnect. */
const told = (system: ActorSystem) => turnsOf(system.file).filter(({ type }) => type === 'channel.disconnect');

/** Once each: each channel was told one time, and the world heard of it one time. */
function expectOnce(system: ActorSystem): void {
  expect([disconnected(system), outbox(system)]).toEqual([lines.length, []]);
  expect(told(system)).toHaveLength(lines.length);
  const said = eventsOf(system).filter(({ payload }) => payload['connected'] === false);
  expect(said.map(({ payload }) => payload['id']).sort()).toEqual([...lines].sort());
  expectSound(system);
}

/** Loses what is asked of a type while `losing.now`; the command itself is handled or not. */
function lossyBus(system: ActorSystem, type: string, handled: boolean) {
  const losing = { now: true, lost: 0 };
  const request = system.bus.request.bind(system.bus);
  system.bus.request = async (subject, data, timeout) => {
    if (!losing.now || decode<Envelope>(data).type !== type) return request(subject, data, timeout);
    if (handled) await request(subject, data, timeout);
    losing.lost++;
    throw new BusError('disconnected', 'the process is about to end');
  };
  return losing;
}

test('a deleted source leaves a task for each of its channels', async () => {
  await using system = await withChannels();
  await system.commands().send('channel', lines[4]!, 'channel.disconnect', null);
  await deleteSource(system);
  const rows = outbox(system);
  expect(rows).toHaveLength(4);
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set([tellEffect]));
  expect(new Set(rows.map(({ lane }) => lane)).size).toBe(1);
  const tasks = rows.map(({ body }) => JSON.parse(String(body)) as Record<string, { kind: string; id: string }>);
  for (const { from, type } of tasks) {
    expect([from, type]).toEqual([{ kind: 'source', id: sourceActorId(source) }, 'channel.disconnect']);
  }
  expect(tasks.map(({ to }) => to!.id).sort()).toEqual(lines.slice(0, 4).sort());
});

test('all channels of a deleted source are disconnected, once', async () => {
  await using system = await withChannels();
  await deleteSource(system);
  const relaying = new Relaying(system);
  await vi.waitFor(() => expect(outbox(system)).toEqual([]));
  await relaying.stop();
  expectOnce(system);
  expect(relaying.warned).toEqual([]);
});

test.each([
  ['before it was told', 'channel.disconnect', false],
  ['after it was told, without an answer', 'channel.disconnect', true],
  ['between the two commands', runtimeCommands.effectDone, false],
  ['after both, without an answer', runtimeCommands.effectDone, true],
])('a crash %s is made up for', async (_title, type, handled) => {
  await using system = await withChannels();
  await deleteSource(system);
  const losing = lossyBus(system, type, handled);
  const first = new Relaying(system);
  await vi.waitFor(() => {
    system.clock.advance(250);
    expect(losing.lost).toBeGreaterThan(2);
  });
  const stopped = first.stop();
  // A sender asks as long as its patience lasts; then it sees that the process ends.
  await vi.waitFor(async () => {
    system.clock.advance(20_000);
    await Promise.race([stopped, Promise.reject(new Error('it runs still'))]);
  });
  const known = type === 'channel.disconnect' && !handled ? 0 : 1;
  expect(told(system)).toHaveLength(known);
  await system.restart();
  losing.now = false;
  const second = new Relaying(system);
  await vi.waitFor(() => expect(outbox(system)).toEqual([]));
  await second.stop();
  expectOnce(system);
});

/** Kinds whose conversations tell a channel to disconnect, and what comes of it is no matter of theirs. */
const telling = withHandlers({
  'test.tell'(runtime, channels: string[]) {
    for (const id of channels) runtime.tell(channelActor(id), 'channel.disconnect', null);
    return null;
  },
});

test('a refusal ends what was told, and what follows is done', async () => {
  await using system = await withChannels({ kinds: telling });
  const teller = conversationOf('ann');
  const nobody = channelId(source, 'never connected');
  await request(system, envelopeFor(system, 'conversation', teller, 'test.tell', [nobody, lines[0]]));
  const relaying = new Relaying(system);
  await vi.waitFor(() => expect(outbox(system)).toEqual([]));
  await relaying.stop();
  expect(relaying.warned).toMatchObject([{ code: 'channel_unknown' }]);
  expect(disconnected(system)).toBe(1);
  // The refused command is remembered, as any other.
  expect(turnsOf(system.file).filter(({ type, actor }) => type === 'channel.disconnect' && actor === 0)).toHaveLength(
    1,
  );
  expectSound(system);
});

test('a defect of the one who is told ends it too, as a letter', async () => {
  const broken = telling.map((kind) =>
    kind.name === 'channel' ? { ...kind, handlers: { ...kind.handlers, 'channel.disconnect': fail as never } } : kind,
  );
  await using system = await withChannels({ kinds: broken });
  await request(system, envelopeFor(system, 'conversation', conversationOf('ann'), 'test.tell', [lines[0]]));
  const relaying = new Relaying(system);
  await vi.waitFor(() => expect(outbox(system)).toEqual([]));
  await relaying.stop();
  expect(relaying.warned).toMatchObject([{ code: 'internal' }]);
  expect(rowsOf(system.file).dead_letter).toHaveLength(1);
});

function fail(): never {
  throw new Error('a defect');
}

test('what one command tells goes out in its order', async () => {
  await using system = await withChannels({ kinds: telling });
  const order: string[] = [];
  const publish = system.bus.request.bind(system.bus);
  system.bus.request = (subject, data, timeout) => {
    const { type, actor } = decode<Envelope>(data);
    if (type === 'channel.disconnect') order.push(actor.id);
    return publish(subject, data, timeout);
  };
  const wanted = [lines[3]!, lines[0]!, lines[4]!, lines[1]!];
  await request(system, envelopeFor(system, 'conversation', conversationOf('ann'), 'test.tell', wanted));
  const relaying = new Relaying(system);
  await vi.waitFor(() => expect(outbox(system)).toEqual([]));
  await relaying.stop();
  expect(order).toEqual(wanted);
});

test('a teller that is refused tells nobody', async () => {
  const refusing = withHandlers({
    'test.tell'(runtime) {
      runtime.tell(channelActor(lines[0]!), 'channel.disconnect', null);
      throw new Failure('not_found', 'It thought better of it.');
    },
  });
  await using system = await withChannels({ kinds: refusing });
  await request(system, envelopeFor(system, 'conversation', conversationOf('ann'), 'test.tell', null));
  expect(outbox(system)).toEqual([]);
});
