import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { conversationId } from '#actors/ids.ts';
import { type Answered, answering, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { systemToken } from '../_support/config.ts';
import { until } from '../_support/source-client.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

interface Message {
  id: string;
  content: unknown;
  state: string;
  sender: { id: string };
  metadata: Record<string, unknown>;
}

interface Page {
  data: Message[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

/** A hub with the source `shop`, and one conversation in which Ann wrote `one`, `two` and `three`. */
async function start() {
  const api = await startApi();
  const shop = await api.addSource('shop');
  const ann = await shop.push('ann', 'one', 'two', 'three');
  const send = <T = Message>(body: object, headers: Record<string, string> = {}): Promise<Answered<T>> =>
    api.post<T>('/messages.send', body, headers);
  const list = async (body: object = {}): Promise<Page> =>
    (await api.post<Page>('/messages.list', { conversation_id: ann, ...body })).body;
  return { api, shop, ann, send, list, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const textsOf = ({ data }: Page): unknown[] => data.map(({ content }) => (content as { text: string }).text);

describe('/messages.info', () => {
  it('shows one message, as the list does', async () => {
    await using hub = await start();
    const { data } = await hub.list();
    const answer = await hub.api.post('/messages.info', { message_id: data[0]!.id.toUpperCase() });
    expect([answer.status, answer.body]).toEqual([200, data[0]]);
  });

  it('answers 404 for one that is not there', async () => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/messages.info', { message_id: unknown }))).toEqual([404, 'not_found']);
  });
});

describe('/messages.send', () => {
  it('answers the pending message of a conversation', async () => {
    await using hub = await start();
    const content = { text: 'Hello', nested: [{ a: null, b: [1.5, true] }] };
    const { status, body } = await hub.send({ conversation_id: hub.ann, message: content });
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), content, state: 'pending', delivery_state: 'pending' },
        ...{ from_contact: false, sent_at: '2026-01-01T00:00:00.000Z', source: 'shop', metadata: {} },
        sender: { id: 'parley-core-anonymous' },
      },
    ]);
    expect((await hub.list()).data.find(({ id }) => id === body.id)).toEqual(body);
  });

  it('names its caller as the author', async () => {
    await using hub = await start();
    const authorization = { Authorization: `Bearer ${systemToken}` };
    const { body } = await hub.send({ conversation_id: hub.ann, message: {} }, authorization);
    const hash = createHash('sha256').update(systemToken).digest('hex');
    expect(body.sender).toEqual({ id: `system-token-${hash.slice(0, 4)}` });
  });

  it('answers 202 until the conversation appears', async () => {
    await using hub = await start();
    const zoe = conversationId(hub.shop.channel, 'zoe');
    const sent = await hub.send({ conversation_id: zoe, message: { text: 'Hi Zoe' } });
    const id = sent.headers.get('x-message-id');
    expect([sent.status, sent.body, id]).toEqual([202, null, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(await hub.shop.push('zoe', 'here')).toBe(zoe);
    const { data } = await hub.list({ conversation_id: zoe });
    expect(data.map((message) => [message.id === id, message.state])).toEqual(
      expect.arrayContaining([
        [true, 'pending'],
        [false, 'delivered'],
      ]),
    );
  });

  it('keeps what it gave up, to be looked at and resent', async () => {
    await using hub = await start();
    const zoe = conversationId(hub.shop.channel, 'zoe');
    const { headers } = await hub.send({ conversation_id: zoe, message: { text: 'Hi Zoe' } });
    const about = { message_id: headers.get('x-message-id') };
    const info = () => hub.api.post<Message>('/messages.info', about);
    expect(refusalOf(await hub.api.post('/messages.info', about))).toEqual([404, 'not_found']);
    hub.api.system.clock.advance(30_000);
    await hub.api.system.settle();
    expect((await info()).body).toMatchObject({ state: 'failed', content: { text: 'Hi Zoe' } });
    const told = await hub.api.post<{ data: { type: string }[] }>('/events.list', { conversation_id: zoe });
    const types = ['message.created', 'metadata.updated', 'message.updated'];
    expect([told.status, told.body.data?.map(({ type }) => type)]).toEqual([200, types]);
    const resent = await hub.api.post<Message>('/messages.resend', about);
    expect([resent.status, resent.body]).toMatchObject([200, { state: 'pending', metadata: {} }]);
    await hub.shop.push('zoe', 'here');
    expect((await info()).body).toMatchObject({ state: 'pending', source: 'shop' });
  });

  it('starts a conversation, which the answer goes on with', async () => {
    await using hub = await start();
    const begin = { channel_id: hub.shop.channel, source_recipient_id: 'zoe' };
    const { status, body } = await hub.send({ ...begin, message: { text: 'Hi Zoe' } });
    expect([status, body.state]).toEqual([200, 'pending']);
    const zoe = await hub.shop.push('zoe', 'hello back');
    expect(textsOf(await hub.list({ conversation_id: zoe }))).toEqual(expect.arrayContaining(['Hi Zoe', 'hello back']));
  });

  it.each([
    ['neither form', {}],
    ['both forms', { conversation_id: unknown, channel_id: unknown, source_recipient_id: 'ann' }],
    ['a channel without a recipient', { channel_id: unknown }],
    ['a recipient without a channel', { source_recipient_id: 'ann' }],
  ])('refuses %s', async (_, target) => {
    await using hub = await start();
    const answer = await hub.send<Refusal>({ ...target, message: {} });
    expect([...refusalOf(answer), answer.body.details?.map(({ path }) => path)]).toEqual([
      ...[400, 'invalid_request'],
      ['conversation_id'],
    ]);
  });

  it.each([
    ['no message', {}, 'message'],
    ['a text as message', { message: 'Hello' }, 'message'],
    ['an id that is none', { conversation_id: 'ann', message: {} }, 'conversation_id'],
  ])('refuses %s', async (_, fields, path) => {
    await using hub = await start();
    const { status, body } = await hub.send<Refusal>({ conversation_id: hub.ann, ...fields });
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'invalid_request', path]);
  });

  it('refuses a channel that is not connected', async () => {
    await using hub = await start();
    const { channel, authorization } = hub.shop;
    await hub.api.post('/sources.channels.disconnect', { channel_id: channel }, authorization);
    for (const target of [{ conversation_id: hub.ann }, { channel_id: channel, source_recipient_id: 'zoe' }]) {
      const answer = await hub.send<Refusal>({ ...target, message: {} });
      expect(refusalOf(answer)).toEqual([403, 'channel_not_connected']);
    }
  });

  it('refuses a channel that does not exist', async () => {
    await using hub = await start();
    const answer = await hub.send<Refusal>({ channel_id: unknown, source_recipient_id: 'ann', message: {} });
    expect(refusalOf(answer)).toEqual([404, 'not_found']);
  });

  it('sends once however often a key repeats it', async () => {
    await using hub = await start();
    const key = { 'Idempotency-Key': 'send-1' };
    const send = () => hub.send({ conversation_id: hub.ann, message: { text: 'once' } }, key);
    const [first, again] = [await send(), await send()];
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect((await hub.list()).pagination_data.total).toBe(4);
  });
});

describe('/messages.list', () => {
  it('gives the oldest first, or the newest', async () => {
    await using hub = await start();
    expect(textsOf(await hub.list())).toEqual(['one', 'two', 'three']);
    expect(textsOf(await hub.list({ order: 'desc' }))).toEqual(['three', 'two', 'one']);
  });

  it.each(['asc', 'desc'])('walks there and back in pages: %s', async (order) => {
    await using hub = await start();
    const first = await hub.list({ order, page_size: 2 });
    const second = await hub.list({ order, page_size: 2, cursor: first.pagination_data.next_cursor });
    const whole = textsOf(await hub.list({ order }));
    expect([textsOf(first), textsOf(second)]).toEqual([whole.slice(0, 2), whole.slice(2)]);
    expect([first.pagination_data, second.pagination_data]).toMatchObject([
      { previous_cursor: null, total: 3 },
      { next_cursor: null, total: 3 },
    ]);
    const back = await hub.list({ order, page_size: 2, cursor: second.pagination_data.previous_cursor });
    expect(textsOf(back)).toEqual(whole.slice(0, 2));
  });

  it('refuses a cursor of another conversation or order', async () => {
    await using hub = await start();
    const bob = await hub.shop.push('bob', 'other');
    const { next_cursor: cursor } = (await hub.list({ page_size: 1 })).pagination_data;
    for (const body of [
      { conversation_id: bob, cursor },
      { conversation_id: hub.ann, order: 'desc', cursor },
    ]) {
      expect(refusalOf(await hub.api.post('/messages.list', body))).toEqual([400, 'invalid_cursor']);
    }
  });

  it('does not know a conversation that is not there', async () => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/messages.list', { conversation_id: unknown }))).toEqual([404, 'not_found']);
  });

  it.each([0, 1_001, 1.5, '20'])('refuses the page size %j', async (page_size) => {
    await using hub = await start();
    const answer = await hub.api.post('/messages.list', { conversation_id: hub.ann, page_size });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
  });
});

/** Sends a message that its source refuses, and waits until it has failed. */
async function failed(api: TestApi, conversation_id: string): Promise<string> {
  await api.post('/sources.update', { source_id: 'shop', action_endpoint: 'https://shop.example/action' });
  api.dispatch(answering(422, { error: 'No such recipient.' }));
  const { body } = await api.post<Message>('/messages.send', { conversation_id, message: { text: 'Hi' } });
  await until('failed', () => api.reader.messages.find(body.id)?.message.state === 'failed');
  return body.id;
}

describe('/messages.resend', () => {
  it('makes a failed message pending again', async () => {
    await using hub = await start();
    const id = await failed(hub.api, hub.ann);
    const before = (await hub.list()).data.find((message) => message.id === id)!;
    expect(before.metadata).toMatchObject({ error: 'No such recipient.' });
    const { status, body } = await hub.api.post<Message>('/messages.resend', { message_id: id });
    expect([status, body.id, body.state]).toEqual([200, id, 'pending']);
  });

  it('refuses a message that has not failed', async () => {
    await using hub = await start();
    const { body } = await hub.send({ conversation_id: hub.ann, message: {} });
    const [delivered] = (await hub.list()).data;
    for (const message_id of [body.id, delivered!.id]) {
      const answer = await hub.api.post('/messages.resend', { message_id });
      expect(refusalOf(answer)).toEqual([409, 'message_not_failed']);
    }
  });

  it('does not know a message that is not there', async () => {
    await using hub = await start();
    expect(refusalOf(await hub.api.post('/messages.resend', { message_id: unknown }))).toEqual([404, 'not_found']);
  });
});

describe('/messages.suggest-replies', () => {
  it.each(['/messages.suggest-replies', '/messages.suggestReplies'])('%s replaces earlier ones', async (path) => {
    await using hub = await start();
    const [{ id }] = (await hub.list()).data as [Message];
    const suggest = (suggestions: object) => hub.api.post<Message>(path, { message_id: id, suggestions });
    await suggest({ old: { content: { text: 'Old' } } });
    const suggestions = { hours: { content: { text: 'Until 6.' }, title: 'Hours' }, no: { content: 'No' } };
    const { status, body } = await suggest(suggestions);
    expect([status, body.metadata]).toEqual([200, { suggestions }]);
    expect((await hub.list()).data[0]).toEqual(body);
  });

  it('does not know a message that is not there', async () => {
    await using hub = await start();
    const answer = await hub.api.post('/messages.suggest-replies', { message_id: unknown, suggestions: {} });
    expect(refusalOf(answer)).toEqual([404, 'not_found']);
  });

  it('needs content in each suggestion', async () => {
    await using hub = await start();
    const [{ id }] = (await hub.list()).data as [Message];
    const answer = await hub.api.post('/messages.suggest-replies', { message_id: id, suggestions: { a: {} } });
    expect([...refusalOf(answer), answer.body.details?.[0]?.path]).toEqual([
      ...[400, 'invalid_request'],
      'suggestions.a.content',
    ]);
  });
});
