import { describe, expect, it } from 'vitest';
import { answering, type Answered, type Refusal, refusalOf, startApi } from '../_support/api.ts';

interface Ingested {
  messages: { id: string; conversation_id: string; duplicate: boolean }[];
}

/** A hub whose source `shop` has the channels `line` and `till`. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const till = { source_channel_id: 'till', name: 'Till' };
  await api.post('/sources.channels.create', till, shop.authorization);
  const ingest = <T = Ingested>(body: unknown): Promise<Answered<T>> =>
    api.post<T>('/sources.webhook', body, shop.authorization);
  const metadataOf = async (conversation_id: string): Promise<Record<string, unknown>> =>
    (await api.post<{ metadata: Record<string, unknown> }>('/conversations.info', { conversation_id })).body.metadata;
  const ofMessage = (id: string): object => api.reader.messages.find(id)!.message.metadata;
  return { api, shop, ingest, metadataOf, ofMessage, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const message = (channel: string, conversation: string, id: string) => ({
  ...{ source_message_id: id, source_conversation_id: conversation, source_channel_id: channel },
  ...{ source_sender_id: conversation, content: 'hello', from_contact: true, sent_at: Date.UTC(2026, 0, 1) },
});

const ofConversation = (source_id: string, metadata: object, place: object = {}) => ({
  ...{ namespace: 'conversation', source_id, metadata, ...place },
});
const ofMessage = (source_id: string, metadata: object, place: object = {}) => ({
  ...{ namespace: 'message', source_id, metadata, ...place },
});

/** What a refusal says of its items. */
const detailsOf = ({ body }: Answered<Refusal>): [path: string, problem: string][] =>
  body.details!.map(({ path, problem }) => [path, problem]);

describe('metadata for an id that fits several', () => {
  const line = 'source_channel_id "line" with source_conversation_id "ann"';
  const till = 'source_channel_id "till" with source_conversation_id "ann"';
  const fits = `fits several: ${line}, ${till}; say which`;

  it('is refused with their names, and nothing is stored', async () => {
    await using hub = await start();
    const { body } = await hub.ingest({ messages: [message('line', 'ann', 'm'), message('till', 'ann', 'm')] });
    const metadata = [ofConversation('bob', { a: 1 }), ofConversation('ann', { a: 1 }), ofMessage('m', { a: 1 })];
    const refused = await hub.ingest<Refusal>({ messages: [message('line', 'bob', 'm-2')], metadata });
    expect(refusalOf(refused)).toEqual([400, 'ambiguous_target']);
    expect(detailsOf(refused)).toEqual([
      ['metadata[1]', fits],
      ['metadata[2]', fits],
    ]);
    for (const { conversation_id, id } of body.messages) {
      expect([await hub.metadataOf(conversation_id), hub.ofMessage(id)]).toEqual([
        expect.not.objectContaining({ a: 1 }),
        {},
      ]);
    }
    expect((await hub.api.post<{ data: [] }>('/conversations.list')).body.data).toHaveLength(2);
  });

  it('is refused when the push itself makes it fit several', async () => {
    await using hub = await start();
    const messages = [message('line', 'ann', 'm'), message('till', 'ann', 'm')];
    const refused = await hub.ingest<Refusal>({ messages, metadata: [ofMessage('m', {}), ofConversation('ann', {})] });
    expect(refusalOf(refused)).toEqual([400, 'ambiguous_target']);
    expect(detailsOf(refused)).toEqual([
      ['metadata[0]', fits],
      ['metadata[1]', fits],
    ]);
  });

  it('reaches the one that is named', async () => {
    await using hub = await start();
    const { body } = await hub.ingest({ messages: [message('line', 'ann', 'm'), message('till', 'ann', 'm')] });
    const place = { source_channel_id: 'till' };
    const metadata = [
      ofConversation('ann', { said: 'once' }, place),
      ofMessage('m', { seen: true }, { ...place, source_conversation_id: 'ann' }),
    ];
    expect((await hub.ingest({ metadata })).status).toBe(200);
    const [other, named] = body.messages as [Ingested['messages'][0], Ingested['messages'][0]];
    expect([await hub.metadataOf(named.conversation_id), hub.ofMessage(named.id)]).toMatchObject([
      { said: 'once' },
      { seen: true },
    ]);
    expect(await hub.metadataOf(other.conversation_id)).not.toHaveProperty('said');
    expect(hub.ofMessage(other.id)).toEqual({});
  });

  it('is refused where only the conversation is named, and twice', async () => {
    await using hub = await start();
    await hub.ingest({ messages: [message('line', 'ann', 'm'), message('till', 'ann', 'n')] });
    const metadata = [ofMessage('n', {}, { source_conversation_id: 'ann' })];
    const refused = await hub.ingest<Refusal>({ metadata });
    expect([...refusalOf(refused), detailsOf(refused)]).toEqual([400, 'ambiguous_target', [['metadata[0]', fits]]]);
  });
});

describe('metadata that names its target', () => {
  it('waits for that one, whatever else appears', async () => {
    await using hub = await start();
    const place = { source_channel_id: 'till' };
    const metadata = [
      ofConversation('ann', { vip: true }, place),
      ofMessage('m', { seen: 1 }, { ...place, source_conversation_id: 'ann' }),
      ofMessage('m', { seen: 2 }, { source_conversation_id: 'bob' }),
      ofMessage('m', { read: 1 }, { ...place, source_conversation_id: 'ann' }),
    ];
    await hub.ingest({ metadata });
    const said = [];
    for (const [channel, conversation] of [
      ['line', 'ann'],
      ['till', 'bob'],
      ['till', 'ann'],
    ] as const) {
      const { body } = await hub.ingest({ messages: [message(channel, conversation, 'm')] });
      const { id, conversation_id } = body.messages[0]!;
      said.push([(await hub.metadataOf(conversation_id))['vip'], hub.ofMessage(id)]);
    }
    expect(said).toEqual([
      [undefined, {}],
      [undefined, { seen: 2 }],
      [true, { seen: 1, read: 1 }],
    ]);
  });

  it.each([
    [ofMessage('m', {}, { source_channel_id: 'line' }), 'source_conversation_id'],
    [ofConversation('ann', {}, { source_conversation_id: 'bob' }), 'source_conversation_id'],
    [{ namespace: 'contact', source_id: 'ann', metadata: {} }, 'namespace'],
  ])('is refused as %j', async (item, field) => {
    await using hub = await start();
    const refused = await hub.ingest<Refusal>({ metadata: [item] });
    expect(refusalOf(refused)).toEqual([400, 'invalid_request']);
    expect(detailsOf(refused).map(([path]) => path)).toEqual([`metadata[0].${field}`]);
  });

  it('means our own message, also beside its echo', async () => {
    await using hub = await start();
    const { body } = await hub.ingest({ messages: [message('line', 'ann', 'm')] });
    const send = { conversation_id: body.messages[0]!.conversation_id, message: { text: 'hi' } };
    await hub.api.post('/sources.update', { source_id: 'shop', action_endpoint: 'https://shop.example/actions' });
    const { body: sent } = await hub.api.post<{ id: string }>('/messages.send', send);
    hub.api.dispatch(answering(200, { source_message_id: 'x' }));
    await expect.poll(() => hub.ofMessage(sent.id)).toEqual({ source: { id: 'x' } });
    const echo = { ...message('line', 'ann', 'x'), from_contact: false };
    const pushed = await hub.ingest({ messages: [echo], metadata: [ofMessage('x', { seen: true })] });
    expect([pushed.status, pushed.body.messages[0]?.id]).toEqual([200, sent.id]);
    expect(hub.ofMessage(sent.id)).toEqual({ source: { id: 'x' }, seen: true });
  });
});

describe('metadata that becomes too large', () => {
  const large = (bytes: number) => ({ a: 'a'.repeat(bytes) });

  it('is refused with its item, and nothing is stored', async () => {
    await using hub = await start();
    const { body } = await hub.ingest({ messages: [message('line', 'ann', 'm'), message('line', 'bob', 'n')] });
    await hub.ingest({ metadata: [ofMessage('n', large(60_000))] });
    const metadata = [
      ofConversation('ann', { vip: true }),
      ofMessage('n', { b: 'b'.repeat(6_000) }),
      ofMessage('m', { c: 1 }),
    ];
    const refused = await hub.ingest<Refusal>({ messages: [message('line', 'cy', 'o')], metadata });
    expect(refusalOf(refused)).toEqual([400, 'metadata_too_large']);
    expect(detailsOf(refused).map(([path]) => path)).toEqual(['metadata[1]']);
    expect(await hub.metadataOf(body.messages[0]!.conversation_id)).not.toHaveProperty('vip');
    expect(hub.ofMessage(body.messages[0]!.id)).toEqual({});
    expect((await hub.api.post<{ data: [] }>('/conversations.list')).body.data).toHaveLength(2);
  });

  it('is refused while it waits, before messages are stored', async () => {
    await using hub = await start();
    await hub.ingest({ metadata: [ofConversation('zoe', large(60_000))] });
    const metadata = [ofConversation('zoe', { b: 'b'.repeat(6_000) })];
    const refused = await hub.ingest<Refusal>({ messages: [message('line', 'cy', 'o')], metadata });
    expect(refusalOf(refused)).toEqual([400, 'metadata_too_large']);
    expect((await hub.api.post<{ data: [] }>('/conversations.list')).body.data).toEqual([]);
  });

  it('is refused for too much of it at once', async () => {
    await using hub = await start();
    const ids = Array.from({ length: 65 }, (_, n) => `m-${n}`);
    await hub.ingest({ messages: ids.map((id) => message('line', 'ann', id)) });
    for (let n = 0; n < ids.length; n += 13) {
      const said = ids.slice(n, n + 13).map((id) => ofMessage(id, large(65_000)));
      expect((await hub.ingest({ metadata: said })).status).toBe(200);
    }
    const touch = (count: number) =>
      hub.ingest<Refusal>({ metadata: ids.slice(0, count).map((id) => ofMessage(id, { b: 1 })) });
    const refused = await touch(65);
    expect([...refusalOf(refused), detailsOf(refused)[0]![0]]).toEqual([400, 'metadata_too_large', 'metadata[64]']);
    expect((await touch(64)).status).toBe(200);
  });
});
