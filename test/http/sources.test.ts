import { describe, expect, it, vi } from 'vitest';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import { type Answered, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';

interface Ingested {
  messages: { source_message_id: string; id: string; conversation_id: string; duplicate: boolean }[];
}

/** A hub with the sources `shop` and `other`, whose channels are `line` and, of `shop` and disconnected, `closed`. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const other = await api.addSource('other');
  const closed = await api.post<{ id: string }>(
    '/sources.channels.create',
    { source_channel_id: 'closed', name: 'Closed' },
    shop.authorization,
  );
  await api.post('/sources.channels.disconnect', { channel_id: closed.body.id }, shop.authorization);
  const ingest = <T = Ingested>(body: unknown): Promise<Answered<T>> =>
    api.post<T>('/sources.webhook', body, shop.authorization);
  return { api, shop, other, ingest, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const item = (channel: string, n: number) => ({
  source_message_id: `m-${n}`,
  source_conversation_id: n % 2 === 0 ? 'ann' : 'bob',
  source_channel_id: channel,
  source_sender_id: 'ann',
  content: `text ${n}`,
  from_contact: true,
  sent_at: n === 0 ? '2026-01-01T00:00:00Z' : Date.UTC(2026, 0, 1),
});

const conversationsOf = async (api: TestApi): Promise<number> =>
  (await api.post<{ data: unknown[] }>('/conversations.list')).body.data.length;

const textsOf = async (api: TestApi, conversation_id: string): Promise<unknown[]> => {
  const { body } = await api.post<{ data: { content: unknown }[] }>('/messages.list', { conversation_id });
  return body.data.map(({ content }) => content);
};

describe('/sources.webhook', () => {
  it('stores nothing when one channel is not usable', async () => {
    await using hub = await start();
    const messages = ['line', 'closed', 'elsewhere', 'nowhere'].map(item);
    const answer = await hub.ingest<Refusal>({ messages });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.details?.map(({ path }) => path)).toEqual(
      [1, 2, 3].map((n) => `messages[${n}].source_channel_id`),
    );
    expect(await conversationsOf(hub.api)).toBe(0);
  });

  it('stores each conversation in order', async () => {
    await using hub = await start();
    const { status, body } = await hub.ingest({ messages: [0, 1, 2, 3].map((n) => item('line', n)) });
    const channel = channelId('shop', 'line');
    const [ann, bob] = ['ann', 'bob'].map((name) => conversationId(channel, name)) as [string, string];
    expect([status, body.messages]).toEqual([
      200,
      [ann, bob, ann, bob].map((conversation, n) => ({
        source_message_id: `m-${n}`,
        id: messageId(conversation, 'shop', `m-${n}`),
        conversation_id: conversation,
        duplicate: false,
      })),
    ]);
    expect([await textsOf(hub.api, ann), await textsOf(hub.api, bob)]).toEqual([
      ['text 0', 'text 2'],
      ['text 1', 'text 3'],
    ]);
  });

  it('calls a message that it has a duplicate', async () => {
    await using hub = await start();
    const first = await hub.ingest({ messages: [item('line', 1)] });
    const again = await hub.ingest({ messages: [{ ...item('line', 1), content: 'other' }] });
    expect(again.body.messages).toEqual([{ ...first.body.messages[0]!, duplicate: true }]);
    expect(await textsOf(hub.api, first.body.messages[0]!.conversation_id)).toEqual(['text 1']);
  });

  it('merges metadata, the newest item last', async () => {
    await using hub = await start();
    const { body } = await hub.ingest({
      messages: [item('line', 0)],
      metadata: [
        { namespace: 'conversation', source_id: 'ann', metadata: { contact: { display_name: 'Ann' }, a: 1 } },
        { namespace: 'conversation', source_id: 'ann', metadata: { a: 2 } },
        { namespace: 'message', source_id: 'm-0', metadata: { seen: true } },
      ],
    });
    const [{ conversation_id }] = body.messages as [Ingested['messages'][number]];
    const info = await hub.api.post<{ metadata: object }>('/conversations.info', { conversation_id });
    expect(info.body.metadata).toMatchObject({ contact: { display_name: 'Ann' }, a: 2 });
    const { body: list } = await hub.api.post<{ data: { metadata: object }[] }>('/messages.list', { conversation_id });
    expect(list.data[0]!.metadata).toEqual({ seen: true });
  });

  it('tells once of a target, however many items it has', async () => {
    await using hub = await start();
    const { body } = await hub.ingest({ messages: [item('line', 0), item('line', 2)] });
    const { conversation_id } = body.messages[0]!;
    const events = async () =>
      (await hub.api.post<{ data: { type: string; seq: number }[] }>('/events.list')).body.data;
    const before = (await events()).length;
    const said = (namespace: string, source_id: string) =>
      Array.from({ length: 300 }, (_, n) => ({ namespace, source_id, metadata: { [`k${n % 7}`]: n } }));
    await hub.ingest({
      metadata: [...said('message', 'm-0'), ...said('conversation', 'ann'), ...said('message', 'm-2')],
    });
    const told = (await events()).slice(before).map(({ type }) => type);
    const ofMessage = ['metadata.updated', 'message.updated'];
    expect(told).toEqual([...ofMessage, 'metadata.updated', 'conversation.updated', ...ofMessage]);
    expect(hub.api.sent.filter(({ type }) => type === 'metadata.merge')).toHaveLength(1);
    const info = await hub.api.post<{ metadata: object }>('/conversations.info', { conversation_id });
    expect(info.body.metadata).toMatchObject({ k0: 294, k5: 299 });
  });

  it('keeps metadata of what has not appeared', async () => {
    await using hub = await start();
    const metadata = [{ namespace: 'conversation', source_id: 'zoe', metadata: { vip: true } }];
    expect((await hub.ingest({ metadata })).body).toEqual({ messages: [] });
    expect(hub.api.sent.at(-1)).toMatchObject({ kind: 'source', type: 'metadata.park' });
  });

  it.each(['unread_count', 'state', 'tags', 'isUserTyping', 'user_data', 'suggestions'])(
    'lets no source write %s',
    async (key) => {
      await using hub = await start();
      const said = (namespace: string, source_id: string) => ({ namespace, source_id, metadata: { a: 1, [key]: {} } });
      const metadata = [said('conversation', 'ann'), said('message', 'm-0')];
      const pushed = await hub.ingest<Refusal>({ messages: [item('line', 0)], metadata });
      expect(refusalOf(pushed)).toEqual([400, 'invalid_request']);
      expect(pushed.body.details?.map(({ path }) => path)).toEqual([0, 1].map((n) => `metadata[${n}].metadata.${key}`));
      expect(await conversationsOf(hub.api)).toBe(0);
      const line = { source_channel_id: 'line', name: 'Line', metadata: { [key]: {} } };
      const created = await hub.api.post('/sources.channels.create', line, hub.shop.authorization);
      expect([...refusalOf(created), created.body.details?.[0]?.path]).toEqual([
        ...[400, 'invalid_request'],
        `metadata.${key}`,
      ]);
    },
  );

  it('refuses times that are none', async () => {
    await using hub = await start();
    for (const sent_at of [-1, 8.64e15 + 1, '2026-02-30T00:00:00Z', 'now', null]) {
      const { status, body } = await hub.ingest<Refusal>({ messages: [{ ...item('line', 1), sent_at }] });
      expect([sent_at, status, body.details?.[0]?.path]).toEqual([sent_at, 400, 'messages[0].sent_at']);
    }
  });

  it('refuses metadata that is no object', async () => {
    await using hub = await start();
    for (const metadata of [null, undefined, 'text', []]) {
      const item = { namespace: 'conversation', source_id: 'ann', metadata };
      const answer = await hub.ingest<Refusal>({ metadata: [item] });
      expect([metadata, ...refusalOf(answer)]).toEqual([metadata, 400, 'invalid_request']);
      expect(answer.body.details?.map(({ path }) => path)).toEqual(['metadata[0].metadata']);
    }
  });

  it('refuses times that can not be, each with its reason', async () => {
    await using hub = await start();
    const day = 24 * 60 * 60 * 1_000;
    const now = hub.api.system.clock.now();
    const early = 'lies before 2000-01-01';
    const late = "lies more than 24 hours ahead of the hub's clock";
    const cases: [sent_at: unknown, problem: string | null][] = [
      [Date.UTC(2000, 0, 1), null],
      [Date.UTC(2000, 0, 1) - 1, early],
      [0, early],
      ['1999-12-31T23:59:59Z', early],
      [now / 1_000, `${early}; milliseconds are expected, and these look like seconds`],
      [now + day, null],
      [now + day + 1, late],
      ['9999-12-31T23:59:59.999Z', late],
    ];
    const pushed = cases.map(([sent_at], n) => ({ ...item('line', n), sent_at }));
    const refused = await hub.ingest<Refusal>({ messages: pushed });
    expect(refusalOf(refused)).toEqual([400, 'invalid_request']);
    expect(refused.body.details).toEqual(
      cases.flatMap(([, problem], n) => (problem === null ? [] : [{ path: `messages[${n}].sent_at`, problem }])),
    );
    expect((await hub.ingest({ messages: pushed.filter((_, n) => cases[n]![1] === null) })).status).toBe(200);
  });

  it('takes at most 1,000 messages', async () => {
    await using hub = await start();
    const messages = Array.from({ length: 1_001 }, (_, n) => item('line', n));
    expect((await hub.ingest({ messages })).status).toBe(400);
    expect(await conversationsOf(hub.api)).toBe(0);
  });
});

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
    const refused = await hub.api.post('/sources.webhook', {}, hub.shop.authorization);
    expect(refusalOf(refused)).toEqual([401, 'unauthorized']);
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
