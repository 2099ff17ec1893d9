import { describe, expect, it } from 'vitest';
import { refusalOf, startApi } from '../_support/api.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

interface Channel {
  id: string;
  source: string;
  connected: boolean;
  metadata: Record<string, unknown>;
}

/** A hub with a channel of `shop`, one of `desk`, and one of `desk` that was disconnected. */
async function start() {
  const api = await startApi();
  const [shop, desk] = [await api.addSource('shop'), await api.addSource('desk')];
  const old = { source_channel_id: 'old', name: 'Old' };
  const { body: closed } = await api.post<Channel>('/sources.channels.create', old, desk.authorization);
  await api.post('/sources.channels.disconnect', { channel_id: closed.id }, desk.authorization);
  const list = async (body: object = {}): Promise<string[]> =>
    (await api.post<{ data: Channel[] }>('/channels.list', body)).body.data.map(({ id }) => id);
  const authorizationFor = (path: string) => (path.startsWith('/sources.') ? shop.authorization : {});
  return {
    api,
    shop,
    desk,
    closed: closed.id,
    list,
    authorizationFor,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

describe('/channels.list', () => {
  it('gives the connected channels', async () => {
    await using hub = await start();
    expect(await hub.list()).toEqual([hub.shop.channel, hub.desk.channel]);
    expect(await hub.list({ include_disconnected: false })).toEqual([hub.shop.channel, hub.desk.channel]);
  });

  it('gives the others too when it is told to', async () => {
    await using hub = await start();
    expect(await hub.list({ include_disconnected: true })).toEqual([hub.shop.channel, hub.desk.channel, hub.closed]);
  });

  it('gives those of one source', async () => {
    await using hub = await start();
    expect(await hub.list({ source: 'desk' })).toEqual([hub.desk.channel]);
    expect(await hub.list({ source: 'desk', include_disconnected: true })).toEqual([hub.desk.channel, hub.closed]);
    expect(await hub.list({ source: 'nobody' })).toEqual([]);
  });

  it('gives pages that can be walked', async () => {
    await using hub = await start();
    type Page = { data: Channel[]; pagination_data: { next_cursor: string | null; total: number } };
    const first = await hub.api.post<Page>('/channels.list', { include_disconnected: true, page_size: 2 });
    const { next_cursor: cursor, total } = first.body.pagination_data;
    expect(total).toBe(3);
    expect(await hub.list({ include_disconnected: true, cursor })).toEqual([hub.closed]);
    const foreign = await hub.api.post('/sources.channels.list', { cursor }, hub.shop.authorization);
    expect(refusalOf(foreign)).toEqual([400, 'invalid_cursor']);
  });

  it.each(['/channels.list', '/sources.channels.list'])('%s has at most 1 MiB a page', async (path) => {
    await using hub = await start();
    const large = { large: 'x'.repeat(60_000) };
    for (let n = 0; n < 20; n++) {
      const line = { source_channel_id: `large-${n}`, name: 'Large', metadata: large };
      await hub.api.post('/sources.channels.create', line, hub.shop.authorization);
    }
    const { body } = await hub.api.post<{ data: unknown[] }>(path, {}, { ...hub.authorizationFor(path) });
    expect(body.data).toHaveLength(path === '/channels.list' ? 19 : 18);
    expect(JSON.stringify(body.data).length).toBeLessThan(1024 * 1024);
  });

  it.each([{ source: '' }, { source: 'a\nb' }, { include_disconnected: 'yes' }])('refuses %j', async (body) => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/channels.list', body))).toEqual([400, 'invalid_request']);
  });
});

describe('/channels.info', () => {
  it('gives one channel, connected or not', async () => {
    await using hub = await start();
    const info = async (channel_id: string) => (await hub.api.post<Channel>('/channels.info', { channel_id })).body;
    expect(await info(hub.shop.channel)).toEqual({
      ...{ id: hub.shop.channel, source: 'shop', source_channel_id: 'line', source_id: 'shop' },
      ...{ metadata: { name: 'Line' }, connected: true },
    });
    expect(await info(hub.closed.toUpperCase())).toMatchObject({ id: hub.closed, connected: false });
  });

  it('does not know a channel that is not there', async () => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/channels.info', { channel_id: unknown }))).toEqual([404, 'not_found']);
  });
});

describe('/channels.update', () => {
  it('changes what it names, and keeps the rest', async () => {
    await using hub = await start();
    const update = (fields: object) =>
      hub.api.post<Channel>('/channels.update', { channel_id: hub.shop.channel, ...fields });
    const image_url = 'https://shop.example/a.png';
    expect((await update({ image_url })).body.metadata).toEqual({ name: 'Line', image_url });
    expect((await update({ name: 'Desk' })).body.metadata).toEqual({ name: 'Desk', image_url });
    expect((await update({ name: null })).body.metadata).toEqual({ name: 'Desk', image_url });
    expect((await update({ image_url: null })).body.metadata).toEqual({ name: 'Desk' });
  });

  it.each([{ name: '' }, { name: 'x'.repeat(1_001) }, { image_url: 'ftp://shop.example' }])(
    'refuses %j',
    async (fields) => {
      await using hub = await start();
      const answer = await hub.api.post('/channels.update', { channel_id: hub.shop.channel, ...fields });
      expect([...refusalOf(answer), answer.body.details?.[0]?.path]).toEqual([
        ...[400, 'invalid_request'],
        Object.keys(fields)[0],
      ]);
    },
  );

  it('does not know a channel that is not there', async () => {
    await using hub = await start();
    const answer = await hub.api.post('/channels.update', { channel_id: unknown, name: 'Desk' });
    expect(refusalOf(answer)).toEqual([404, 'not_found']);
  });
});
