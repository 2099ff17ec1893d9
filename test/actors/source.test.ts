import { expect, test } from 'vitest';
import { sourceActorId } from '#actors/ids.ts';
import { parseJson } from '#actors/json.ts';
import type { JsonObject } from '#actors/representation.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { elapse, expectSound, failureOf, rowsOf } from './support.ts';

const acme = sourceActorId('acme');

test('a source is created once', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const body = { sourceId: 'acme', actionEndpoint: 'https://acme/actions', name: 'Acme', imageUrl: 'https://img' };
  const created = await commands.send('source', acme, 'source.create', body);
  const source = {
    source_id: 'acme',
    action_endpoint: 'https://acme/actions',
    name: 'Acme',
    image_url: 'https://img',
  };
  expect(created).toEqual({ source, issuedAt: Math.floor(system.clock.now() / 1000) });
  expect(await failureOf(commands.send('source', acme, 'source.create', body))).toBe('source_exists');
  const reader = system.reader();
  expect(reader.sources.find('acme')).toEqual(created);
  expect(reader.sources.list()).toEqual([source]);
  reader.close();
});

test('a source created anew gets a new token time', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const first = await commands.send('source', acme, 'source.create', { sourceId: 'acme', name: 'Old' });
  await commands.send('source', acme, 'source.delete', null);
  const reader = system.reader();
  expect(reader.sources.find('acme')).toBeNull();
  expect(reader.sources.list()).toEqual([]);
  const second = await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
  expect(second).toEqual({ source: { source_id: 'acme' }, issuedAt: first.issuedAt + 1 });
  expect(reader.sources.find('acme')).toEqual(second);
  reader.close();
});

test('an update keeps what is not given', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('source', acme, 'source.create', { sourceId: 'acme', name: 'Acme', actionEndpoint: 'https://a' });
  const { source } = await commands.send('source', acme, 'source.update', { imageUrl: 'https://img' });
  expect(source).toEqual({
    source_id: 'acme',
    action_endpoint: 'https://a',
    name: 'Acme',
    image_url: 'https://img',
  });
});

test.each(['never created', 'deleted'])('a source that was %s is not found', async (which) => {
  await using system = new ActorSystem();
  const commands = system.commands();
  if (which === 'deleted') {
    await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
    await commands.send('source', acme, 'source.delete', null);
  }
  expect(await failureOf(commands.send('source', acme, 'source.update', {}))).toBe('not_found');
  expect(await failureOf(commands.send('source', acme, 'source.delete', null))).toBe('not_found');
});

test('a source that nobody created keeps what it says, and is none', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const items = [{ namespace: 'message' as const, sourceId: 'm', metadata: {} }];
  await commands.send('source', acme, 'metadata.park', { source: 'acme', items });
  expect(rowsOf(system.file).parked_metadata).toMatchObject([{ source_id: 'acme' }]);
  const reader = system.reader();
  expect([reader.sources.find('acme'), reader.sources.list()]).toEqual([null, []]);
  expect(await failureOf(commands.send('source', acme, 'source.update', {}))).toBe('not_found');
  expect(await commands.send('source', acme, 'source.create', { sourceId: 'acme' })).toMatchObject({ source: {} });
  reader.close();
  expectSound(system);
});

test('a deleted source keeps what came with an ingest', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
  await commands.send('source', acme, 'source.delete', null);
  const items = [{ namespace: 'conversation' as const, sourceId: 'ann', metadata: { vip: true } }];
  expect(await commands.send('source', acme, 'metadata.park', { source: 'acme', items })).toEqual({ appeared: [] });
  expect(rowsOf(system.file).parked_metadata).toMatchObject([{ target: 'ann' }]);
});

test('what has appeared meanwhile is not parked', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  const late = { namespace: 'message' as const, sourceId: 'ann-0', metadata: { seen: 1 } };
  const early = { namespace: 'message' as const, sourceId: 'ann-1', metadata: { seen: 2 } };
  const parked = await commands.send('source', acme, 'metadata.park', { source: 'acme', items: [late, early] });
  expect(parked).toEqual({ appeared: [0] });
  const { parked_metadata, outbox } = rowsOf(system.file);
  expect([parked_metadata, outbox]).toMatchObject([[{ target: 'ann-1' }], []]);
});

/** A system with the source, and what it says about messages of these ids. */
async function parking() {
  const system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
  const park = (ids: string[], metadata: JsonObject = {}) =>
    commands.send('source', acme, 'metadata.park', {
      source: 'acme',
      items: ids.map((sourceId) => ({ namespace: 'message' as const, sourceId, metadata })),
    });
  return { system, commands, park, [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() };
}

test('what is said of one thing is one row, in its order', async () => {
  await using source = await parking();
  await source.park(['ann-0', 'ann-0'], { a: 1, b: { c: 1 } });
  await source.park(['ann-0'], { b: null });
  await source.park(['ann-0'], { b: { d: 1 } });
  expect(rowsOf(source.system.file).parked_metadata).toHaveLength(1);
  await source.commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  expect(JSON.parse(rowsOf(source.system.file).message[0]!.metadata as string)).toEqual({ a: 1, b: { d: 1 } });
});

test('what is kept keeps its digits', async () => {
  await using source = await parking();
  await source.park(['ann-0'], parseJson('{"id":9007199254740993,"rate":1.10}') as JsonObject);
  await source.commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  expect(rowsOf(source.system.file).message[0]!.metadata).toBe('{"id":9007199254740993,"rate":1.10}');
});

test('what is said again and again has the room of once', async () => {
  await using source = await parking();
  for (let n = 0; n < 5; n++) await source.park(['ann-0'], { a: 'a'.repeat(50_000), n });
  expect(await failureOf(source.park(['ann-0'], { b: 'b'.repeat(20_000) }))).toBe('metadata_too_large');
  await source.commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  expect(JSON.parse(rowsOf(source.system.file).message[0]!.metadata as string)).toMatchObject({ n: 4 });
});

test('metadata is kept for 10,000 unknown things at most', async () => {
  await using source = await parking();
  const ids = Array.from({ length: 10_000 }, (_, n) => `m-${n}`);
  for (let n = 0; n < ids.length; n += 2_000) await source.park(ids.slice(n, n + 2_000));
  expect(await failureOf(source.park(['m-7', 'one-more']))).toBe('too_many_unknown_targets');
  await source.park(['m-7'], { again: true });
  expect(rowsOf(source.system.file).parked_metadata).toHaveLength(10_000);
});

test('parked metadata applies in the turn its target appears', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
  await commands.send('source', acme, 'metadata.park', {
    source: 'acme',
    items: [
      { namespace: 'conversation', sourceId: 'ann', metadata: { vip: true } },
      { namespace: 'message', sourceId: 'ann-0', metadata: { seen: 1 } },
      { namespace: 'message', sourceId: 'bob-0', metadata: { seen: 2 } },
    ],
  });
  expect(rowsOf(system.file).parked_metadata).toHaveLength(3);
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  const rows = rowsOf(system.file);
  expect(rows.conversation.map(({ metadata }) => JSON.parse(metadata as string))).toMatchObject([{ vip: true }]);
  expect(rows.message.map(({ metadata }) => JSON.parse(metadata as string))).toMatchObject([{ seen: 1 }]);
});

test('what nothing appeared for is forgotten in time', async () => {
  const day = 24 * 60 * 60 * 1_000;
  await using system = new ActorSystem({ retention: { parkedMetadata: 7 * day } });
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('source', acme, 'source.create', { sourceId: 'acme' });
  const park = (sourceId: string) =>
    commands.send('source', acme, 'metadata.park', {
      source: 'acme',
      items: [{ namespace: 'message', sourceId, metadata: {} }],
    });
  const kept = () => rowsOf(system.file).parked_metadata.map(({ target }) => target);
  await park('old');
  await elapse(system, 4 * day, day / 8);
  await park('young');
  await elapse(system, 2.9 * day, day / 8);
  expect(kept()).toEqual(['old', 'young']);
  await elapse(system, 0.6 * day, day / 8);
  expect(kept()).toEqual(['young']);
  await elapse(system, 4 * day, day / 8);
  expect(kept()).toEqual([]);
  expectSound(system);
});
