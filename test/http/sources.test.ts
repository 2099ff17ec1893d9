import { describe, expect, it, vi } from 'vitest';
import { type Refusal, refusalOf, startApi } from '../_support/api.ts';

/** A hub with the sources `shop` and `other`, each with a channel `line`. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const other = await api.addSource('other');
  return { api, shop, other, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

describe('sources', () => {
  it('are listed without their tokens', async () => {
    await using hub = await start();
    const { body } = await hub.api.post<{ data: object[] }>('/sources.list');
    expect(body.data).toEqual([{ source_id: 'other' }, { source_id: 'shop' }]);
  });

  it.each(['telco', 'telco.sms', 'chatplugin', 'PagePlatform'])('are not called %s, as the hub’s own', async (id) => {
    await using hub = await start();
    const refused = await hub.api.post('/sources.create', { source_id: id });
    expect(refusalOf(refused)).toEqual([409, 'source_id_reserved']);
    expect((await hub.api.post('/sources.create', { source_id: `my-${id}` })).status).toBe(200);
  });

  it('can not be created twice', async () => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/sources.create', { source_id: 'shop' }))).toEqual([409, 'source_exists']);
  });

  it.each(['/sources.create', '/sources.update'])('have no password in their endpoint: %s', async (path) => {
    await using hub = await start();
    for (const action_endpoint of ['https://user:hunter2@shop.example/', 'https://user@shop.example/']) {
      const answer = await hub.api.post(path, { source_id: 'shop', action_endpoint });
      expect([...refusalOf(answer), answer.body.details?.[0]?.path]).toEqual([
        ...[400, 'invalid_request'],
        'action_endpoint',
      ]);
      expect(JSON.stringify(answer.body)).not.toContain('hunter2');
    }
  });

  it('keep what an update does not name', async () => {
    await using hub = await start();
    await hub.api.post('/sources.update', { source_id: 'shop', name: 'Shop' });
    const { body } = await hub.api.post('/sources.update', { source_id: 'shop', image_url: 'https://shop.example/a' });
    expect(body).toEqual({ source_id: 'shop', name: 'Shop', image_url: 'https://shop.example/a' });
  });

  it('lose what an update sets to null', async () => {
    await using hub = await start();
    const update = (fields: object) => hub.api.post('/sources.update', { source_id: 'shop', ...fields });
    const [action_endpoint, image_url] = ['https://shop.example/send', 'https://shop.example/a'];
    await update({ name: 'Shop', action_endpoint, image_url });
    await update({ action_endpoint: null });
    const whole = { source_id: 'shop', name: 'Shop', image_url };
    expect((await update({})).body).toEqual(whole);
    expect((await update({ name: null, image_url: null })).body).toEqual({ source_id: 'shop' });
  });

  it('go with their tokens, their channels disconnected', async () => {
    await using hub = await start();
    expect((await hub.api.post('/sources.delete', { source_id: 'shop' })).status).toBe(202);
    // The source's actor tells its channels, after the answer.
    const dispatch = hub.api.startDispatch();
    await vi.waitFor(async () => {
      const channels = await hub.api.post<{ data: { source: string }[] }>('/channels.list');
      expect(channels.body.data.map(({ source }) => source)).toEqual(['other']);
    });
    await dispatch.stop();
    const refused = await hub.api.post<Refusal>('/sources.webhook', {}, hub.shop.authorization);
    expect(refusalOf(refused)).toEqual([401, 'unauthorized']);
    expect(refused.body.error).toBe('The source of this token was deleted. One that is created anew has a new token.');
  });

  it.each(['/sources.update', '/sources.delete'])('that are unknown give 404 to %s', async (path) => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post(path, { source_id: 'nobody' }))).toEqual([404, 'not_found']);
  });
});

describe('channels of a source', () => {
  it('show their token to their source alone', async () => {
    await using hub = await start();
    const line = { source_channel_id: 'line', name: 'Line 1', metadata: { token: 'mine', color: 'red' } };
    const { body } = await hub.api.post('/sources.channels.create', line, hub.shop.authorization);
    expect(body).toMatchObject({
      id: hub.shop.channel,
      source: 'shop',
      source_id: 'shop',
      connected: true,
      metadata: { name: 'Line 1', token: 'mine', color: 'red' },
    });
    const own = await hub.api.post<{ data: { metadata: object }[] }>(
      '/sources.channels.list',
      {},
      hub.shop.authorization,
    );
    expect(own.body.data.map(({ metadata }) => metadata)).toEqual([{ name: 'Line 1', token: 'mine', color: 'red' }]);
    const core = await hub.api.post<{ metadata: object }>('/channels.info', { channel_id: hub.shop.channel });
    expect(core.body.metadata).toEqual({ name: 'Line 1', color: 'red' });
  });

  it('are disconnected by their source alone', async () => {
    await using hub = await start();
    const disconnect = { channel_id: hub.shop.channel };
    const foreign = await hub.api.post('/sources.channels.disconnect', disconnect, hub.other.authorization);
    expect(refusalOf(foreign)).toEqual([403, 'forbidden']);
    const own = await hub.api.post('/sources.channels.disconnect', disconnect, hub.shop.authorization);
    expect([own.status, own.body]).toEqual([204, null]);
  });
});

describe('ids that a source chose', () => {
  it.each(['\u0085', '\u009f', '\u2028', '\u2029', '\u200e', '\u202e', '\u2066', '\u061c', '\u007f'])(
    'hold no %j',
    async (hidden) => {
      await using hub = await start();
      const answer = await hub.api.post('/sources.create', { source_id: `kio${hidden}sk` });
      expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    },
  );

  it('may be of any script', async () => {
    await using hub = await start();
    const ids = ['магазин', '店', 'متجر', 'é\u0301', '👩\u200d💻', '\u00a0'];
    for (const source_id of ids)
      expect([source_id, (await hub.api.post('/sources.create', { source_id })).status]).toEqual([source_id, 200]);
  });
});

describe('/sources.create with an Idempotency-Key', () => {
  it('answers the same token again and stores none', async () => {
    await using hub = await start();
    const key = { 'Idempotency-Key': 'once' };
    const create = () => hub.api.post<{ token: string }>('/sources.create', { source_id: 'kiosk', name: 'Kiosk' }, key);
    const [first, again] = [await create(), await create()];
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([first.status, again.body]).toEqual([200, first.body]);
    expect(first.body.token).toMatch(/^ey/);
    const kept = hub.api.sent.find(({ type }) => type === 'key.complete');
    expect(JSON.stringify(kept)).toContain('Kiosk');
    expect(JSON.stringify(kept)).not.toContain(first.body.token);
  });
});
