import type { ChannelFilter } from '#actors/channel/reader.ts';
import { itemsOf } from '../_support/pages.ts';
import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, testChannel, testSource } from '../_support/actor-system.ts';
import { channelId, sourceActorId } from '#actors/ids.ts';
import { envelopeFor, eventsOf, expectSound, failureOf, request, rowsOf } from './support.ts';

const connect = (more: Record<string, unknown> = {}) => ({
  source: testSource,
  sourceChannelId: 'line-1',
  sourceId: testSource,
  name: 'Line 1',
  ...more,
});

test('connecting makes a channel and announces it', async () => {
  await using system = new ActorSystem();
  const { channel } = await system
    .commands()
    .send('channel', testChannel, 'channel.connect', connect({ imageUrl: 'https://img', metadata: { region: 'eu' } }));
  expect(channel).toEqual({
    id: testChannel,
    source: testSource,
    source_channel_id: 'line-1',
    source_id: testSource,
    metadata: { region: 'eu', name: 'Line 1', image_url: 'https://img' },
    connected: true,
  });
  expect(eventsOf(system)).toEqual([{ type: 'channel.updated', seq: 1, payload: channel }]);
  const reader = system.reader();
  expect(reader.channels.find(testChannel)).toEqual(channel);
  expect(reader.channels.find(channelId(testSource, 'other'))).toBeNull();
  reader.close();
});

test('a token stays out of results, events and the journal', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const secret = 'kept-to-the-source';
  const { channel } = await commands.send('channel', testChannel, 'channel.connect', connect({ token: secret }));
  await commands.send('channel', testChannel, 'channel.update', { name: 'Other' });
  await commands.send('channel', testChannel, 'metadata.upsert', { data: { a: 1 } });
  expect(JSON.stringify(channel)).not.toContain(secret);
  const reader = system.reader();
  expect(reader.channels.token(testChannel)).toBe(secret);
  reader.close();
  expect(JSON.stringify(rowsOf(system.file))).not.toContain(secret);
});

test('connecting again updates and keeps what is not given', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('channel', testChannel, 'channel.connect', connect({ token: 't1', imageUrl: 'https://a' }));
  await commands.send('channel', testChannel, 'metadata.upsert', { data: { note: 'vip' } });
  const { channel } = await commands.send('channel', testChannel, 'channel.connect', connect({ name: 'Line one' }));
  expect(channel.metadata).toEqual({ name: 'Line one', image_url: 'https://a', user_data: { note: 'vip' } });
  const reader = system.reader();
  expect(reader.channels.token(testChannel)).toBe('t1');
  reader.close();
  expect(rowsOf(system.file).channel).toHaveLength(1);
});

test('disconnecting forgets the token and happens once', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('channel', testChannel, 'channel.connect', connect({ token: 't1' }));
  const { channel } = await commands.send('channel', testChannel, 'channel.disconnect', null);
  expect(channel.connected).toBe(false);
  expect(rowsOf(system.file).channel[0]).toMatchObject({ connected: 0, token: null });
  const events = eventsOf(system).length;
  await commands.send('channel', testChannel, 'channel.disconnect', null);
  expect(eventsOf(system)).toHaveLength(events);
  await commands.send('channel', testChannel, 'channel.connect', connect());
  expect(eventsOf(system).map(({ seq, payload }) => [seq, payload.connected])).toEqual([
    [1, true],
    [2, false],
    [3, true],
  ]);
  expectSound(system);
});

test('an update changes only what is given', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('channel', testChannel, 'channel.connect', connect({ imageUrl: 'https://a' }));
  const { channel } = await commands.send('channel', testChannel, 'channel.update', { name: 'New' });
  expect(channel.metadata).toEqual({ name: 'New', image_url: 'https://a' });
  const changed = await commands.send('channel', testChannel, 'channel.update', { imageUrl: 'https://b' });
  expect(changed.channel.metadata).toEqual({ name: 'New', image_url: 'https://b' });
});

test('user data is merged and announced in full', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('channel', testChannel, 'metadata.upsert', { data: { a: { b: 1, c: 2 }, list: [1, 2] } });
  await commands.send('channel', testChannel, 'metadata.upsert', { data: { a: { b: null }, list: [3] } });
  const metadata = { name: 'Line 1', user_data: { a: { c: 2 }, list: [3] } };
  const [updated, channel] = eventsOf(system).slice(-2);
  expect(updated).toEqual({
    type: 'metadata.updated',
    seq: 4,
    payload: { subject: 'channel', identifier: testChannel, metadata },
  });
  expect(channel).toMatchObject({ type: 'channel.updated', seq: 5, payload: { metadata } });
});

test.each([
  ['channel.disconnect', null, 'channel_unknown'],
  ['channel.update', { name: 'x' }, 'not_found'],
  ['metadata.upsert', { data: {} }, 'not_found'],
] as const)('%s of a channel that never was is refused', async (type, body, code) => {
  await using system = new ActorSystem();
  expect(await request(system, envelopeFor(system, 'channel', testChannel, type, body))).toMatchObject({
    ok: false,
    failure: { code },
  });
  expect(rowsOf(system.file)).toMatchObject({ channel: [], journal: [{ type, actor: 0, steps: null, events: null }] });
});

test('channels are listed by source, owner and connection', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const connected = async (source: string, line: string, sourceId?: string) => {
    const id = channelId(source, line);
    const body = { source, sourceChannelId: line, name: line, ...(sourceId && { sourceId }) };
    await commands.send('channel', id, 'channel.connect', body);
    return id;
  };
  const a = await connected('acme', 'a', 'acme');
  const b = await connected('acme', 'b', 'acme');
  const c = await connected('telco.sms', 'c');
  await commands.send('channel', b, 'channel.disconnect', null);
  const reader = system.reader();
  const all = { limit: 9, from: null };
  const idsOf = (filter: ChannelFilter) => itemsOf(reader.channels.page(all, filter)).map(({ id }) => id);
  expect(idsOf({})).toEqual([a, c]);
  expect(idsOf({ includeDisconnected: true })).toEqual([a, b, c]);
  expect(idsOf({ source: 'telco.sms' })).toEqual([c]);
  expect(idsOf({ source: 'acme', includeDisconnected: true })).toEqual([a, b]);
  expect(itemsOf(reader.channels.ownPage(all, 'acme')).map(({ id }) => id)).toEqual([a]);
  expect(idsOf({ source: 'nobody' })).toEqual([]);
  reader.close();
});

test('a command of an unknown channel changes no other', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const other = channelId(testSource, 'line-2');
  expect(await failureOf(system.commands().send('channel', other, 'channel.disconnect', null))).toBe('channel_unknown');
  expect(rowsOf(system.file).channel).toMatchObject([{ connected: 1 }]);
});

const source = sourceActorId(testSource);

test('a deleted source connects nothing', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('source', source, 'source.create', { sourceId: testSource });
  await commands.send('source', source, 'source.delete', null);
  const refused = commands.send('channel', testChannel, 'channel.connect', connect());
  expect(await failureOf(refused)).toBe('unauthorized');
  expect(rowsOf(system.file).channel).toEqual([]);
});

test.each([
  ['stays, when a source created anew has connected it', true],
  ['is cut, when nobody has', false],
])('a channel of a deleted source %s', async (_title, again) => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('source', source, 'source.create', { sourceId: testSource });
  await commands.send('channel', testChannel, 'channel.connect', connect());
  await commands.send('source', source, 'source.delete', null);
  const [task] = rowsOf(system.file).outbox;
  const { body } = JSON.parse(String(task!.body)) as { body: { lastTurn: number } };
  await commands.send('source', source, 'source.create', { sourceId: testSource });
  if (again) await commands.send('channel', testChannel, 'channel.connect', connect());
  const { channel } = await commands.send('channel', testChannel, 'channel.disconnect', body);
  expect(channel.connected).toBe(again);
  expectSound(system);
});
