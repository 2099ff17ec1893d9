import { describe, expect, it } from 'vitest';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import { type Answered, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';

interface Ingested {
  messages: { source_message_id: string; id: string; conversation_id: string; duplicate: boolean }[];
}

/** A hub with the source `shop`, whose channels are `line` and, disconnected, `closed`. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const closed = await api.post<{ id: string }>(
    '/sources.channels.create',
    { source_channel_id: 'closed', name: 'Closed' },
    shop.authorization,
  );
  await api.post('/sources.channels.disconnect', { channel_id: closed.body.id }, shop.authorization);
  const ingest = <T = Ingested>(body: unknown): Promise<Answered<T>> =>
    api.post<T>('/sources.webhook', body, shop.authorization);
  return { api, shop, ingest, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
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

  it.each([['now'], ['2026-01-01'], ['2026-01-01T00:00'], ['1767225600000'], [null], [true]])(
    'says what a time is instead of %j',
    async (sent_at) => {
      await using hub = await start();
      const { body } = await hub.ingest<Refusal>({ messages: [{ ...item('line', 1), sent_at }] });
      const problem = 'must be epoch milliseconds as a number, or ISO 8601 with Z or an offset';
      expect(body.details).toEqual([{ path: 'messages[0].sent_at', problem }]);
    },
  );

  it('misses a time that is not there', async () => {
    await using hub = await start();
    const { body } = await hub.ingest<Refusal>({ messages: [{ ...item('line', 1), sent_at: undefined }] });
    expect(body.details).toEqual([{ path: 'messages[0].sent_at', problem: 'is required' }]);
  });

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
