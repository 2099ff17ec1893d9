import { describe, expect, it } from 'vitest';
import { aUuid, chapter, unknownId } from './chapter.ts';

// The specification: “Channel”, “Endpoints / Channels” and the channels of “Source API”; decisions §6 and §7.
const spec = chapter();

interface Channel {
  id: string;
  connected: boolean;
  metadata: Record<string, string>;
}

const create = (fields: object) => spec.asShop<Channel>('sources.channels.create', fields);
const own = async () => (await spec.asShop<{ data: Channel[] }>('sources.channels.list')).body.data;

describe('sources.channels.create', () => {
  it('answers the Channel with source_id, connected', async () => {
    const metadata = { image_url: 'https://shop.example/till.png', token: 'mine', floor: '2' };
    const { status, body } = await create({ source_channel_id: 'till', name: 'Till', metadata });
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: aUuid, source: 'shop', source_channel_id: 'till', source_id: 'shop', connected: true },
        metadata: { name: 'Till', image_url: 'https://shop.example/till.png', token: 'mine', floor: '2' },
      },
    ]);
  });

  it('updates and reconnects the channel that is there', async () => {
    const { body: first } = await create({ source_channel_id: 'desk', name: 'Desk' });
    await spec.asShop('sources.channels.disconnect', { channel_id: first.id });
    const { body: again } = await create({ source_channel_id: 'desk', name: 'The desk' });
    expect(again).toEqual({ ...first, metadata: { name: 'The desk' } });
  });
});

describe('sources.channels.list', () => {
  it('answers {data: [Channel]} of connected channels', async () => {
    const { body: gone } = await create({ source_channel_id: 'gone', name: 'Gone' });
    const { body: line } = await create({ source_channel_id: 'here', name: 'Here' });
    await spec.asShop('sources.channels.disconnect', { channel_id: gone.id });
    expect(await own()).toEqual(expect.arrayContaining([line]));
    expect((await own()).map(({ id }) => id)).not.toContain(gone.id);
  });
});

describe('sources.channels.disconnect', () => {
  it('answers 204, empty', async () => {
    const { body } = await create({ source_channel_id: 'leaving', name: 'Leaving' });
    const disconnect = () => spec.asShop('sources.channels.disconnect', { channel_id: body.id });
    expect(await disconnect()).toMatchObject({ status: 204, body: null });
    expect(await disconnect()).toMatchObject({ status: 204, body: null });
    expect((await spec.post('channels.info', { channel_id: body.id })).body).toMatchObject({ connected: false });
  });

  it('answers 403 where the source has no access', async () => {
    const { token } = (await spec.post<{ token: string }>('sources.create', { source_id: 'other' })).body;
    const disconnect = { channel_id: await spec.channelId() };
    const { status, body } = await spec.post('sources.channels.disconnect', disconnect, { Authorization: token });
    expect([status, body]).toMatchObject([403, { code: 'forbidden' }]);
  });
});

describe('channels.list', () => {
  const list = async (asked: object) => (await spec.post<{ data: Channel[] }>('channels.list', asked)).body.data;

  it('answers {data: [Channel]}, of a source if asked', async () => {
    const { body: channel } = await create({ source_channel_id: 'listed', name: 'Listed' });
    expect(await list({ source: 'shop' })).toEqual(expect.arrayContaining([channel]));
    expect(await list({ source: 'telco.sms' })).toEqual([]);
  });

  it('has the disconnected ones with include_disconnected', async () => {
    const { body: channel } = await create({ source_channel_id: 'off', name: 'Off' });
    await spec.asShop('sources.channels.disconnect', { channel_id: channel.id });
    const off = { ...channel, connected: false };
    expect(await list({ include_disconnected: true })).toEqual(expect.arrayContaining([off]));
    expect(await list({})).not.toContainEqual(off);
  });
});

describe('channels.info', () => {
  it('answers the Channel, without its metadata.token', async () => {
    const { body } = await create({ source_channel_id: 'info', name: 'Info', metadata: { token: 'mine' } });
    const answer = await spec.post('channels.info', { channel_id: body.id });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ ...body, metadata: { name: 'Info' } });
  });

  it('answers 404 for an unknown channel', async () => {
    expect((await spec.post('channels.info', { channel_id: unknownId })).status).toBe(404);
  });
});

describe('channels.update', () => {
  it('answers the Channel with updated metadata', async () => {
    const { body: channel } = await create({ source_channel_id: 'renamed', name: 'Old' });
    const fields = { name: 'New', image_url: 'https://shop.example/new.png' };
    const { status, body } = await spec.post('channels.update', { channel_id: channel.id, ...fields });
    expect([status, body]).toEqual([200, { ...channel, metadata: fields }]);
  });

  it('is told as channel.updated, as is each connection', async () => {
    const { body: channel } = await create({ source_channel_id: 'told', name: 'Told' });
    await spec.post('channels.update', { channel_id: channel.id, name: 'Told again' });
    await spec.asShop('sources.channels.disconnect', { channel_id: channel.id });
    const events = await spec.events({ types: ['channel.updated'] });
    const payloads = events.filter(({ subject }) => subject.id === channel.id).map(({ payload }) => payload);
    const renamed = { ...channel, metadata: { name: 'Told again' } };
    expect(payloads).toEqual([channel, renamed, { ...renamed, connected: false }]);
  });
});
