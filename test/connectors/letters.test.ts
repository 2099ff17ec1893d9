import { describe, expect, it } from 'vitest';
import { conversationId, messageId } from '#actors/ids.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { factories } from '#src/connectors/registry.ts';
import { answering, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { conformance } from './conformance.ts';
import { letterLimit, lettersConnector, secret, signatureOf } from './letters.ts';
import { box, letter, letters } from './letters-specimen.ts';

conformance('letters', letters);

/** A hub with one connector more than it has, and its box connected: the factory in the list is the one line. */
async function start(): Promise<TestApi> {
  const api = await startApi({ connectors: [...factories, lettersConnector] });
  const channel = { source: 'letters', sourceChannelId: 'box-1', name: 'Box' };
  await api.commands.send('channel', box, 'channel.connect', channel);
  return api;
}

const put = (api: TestApi, content: unknown, headers: Record<string, string> = {}) => {
  const body = JSON.stringify(content);
  return api.post<Refusal>('/letters', body, { 'X-Letters-Signature': signatureOf(body), ...headers });
};

interface Message {
  id: string;
  content: unknown;
  state: string;
  sent_at: string;
  metadata: { source?: object; error?: string };
}

const messagesOf = async (api: TestApi, conversation_id: string): Promise<Message[]> =>
  (await api.post<{ data: Message[] }>('/messages.list', { conversation_id })).body.data;

describe('the address of a connector', () => {
  it('stores what came before it answers', async () => {
    await using api = await start();
    const { status, body } = await put(api, { post: [letter] });
    expect([status, body]).toEqual([200, null]);
    const conversation = conversationId(box, 'ann');
    expect(await messagesOf(api, conversation)).toMatchObject([
      { id: messageId(conversation, 'letters', 'l-1'), content: letter.text },
    ]);
  });

  it('makes one message of a repeated request', async () => {
    await using api = await start();
    await Promise.all(Array.from({ length: 20 }, () => put(api, { post: [letter] })));
    expect(await messagesOf(api, conversationId(box, 'ann'))).toHaveLength(1);
  });

  it('stores nothing that is not signed', async () => {
    await using api = await start();
    expect(refusalOf(await put(api, { post: [letter] }, { 'X-Letters-Signature': 'f00' }))).toEqual([403, 'forbidden']);
    expect(api.sent).toEqual([]);
  });

  it('answers 200 to what nobody understands, or has a channel for', async () => {
    await using api = await start();
    expect((await put(api, { parcels: [] })).status).toBe(200);
    expect((await put(api, { post: [{ ...letter, box: 'box-2' }] })).status).toBe(200);
    const warnings = api.lines.filter(({ level }) => level === 'warn').map(({ event }) => event);
    expect(warnings).toEqual(['inbound.not_understood', 'inbound.unusable_messages']);
    expect(api.sent).toEqual([]);
  });

  it('takes a letter of a time to come as sent now', async () => {
    await using api = await start();
    const times = [Date.UTC(2100, 0, 1), letter.at - 1];
    await put(api, { post: times.map((at, n) => ({ ...letter, id: `l-${n}`, at })) });
    const now = api.system.clock.now();
    const stored = await messagesOf(api, conversationId(box, 'ann'));
    expect(stored.map(({ sent_at }) => Date.parse(sent_at)).sort()).toEqual([letter.at - 1, now].sort());
  });

  it('leaves out a receipt that fits several letters', async () => {
    await using api = await start();
    const post = ['ann', 'bob'].map((from) => ({ ...letter, from }));
    const receipts = ['l-1', 'l-2'].map((of) => ({ of, state: 'read' }));
    const answer = await put(api, { post: [...post, { ...letter, id: 'l-2' }], receipts });
    expect(answer.status).toBe(200);
    const shown = (await messagesOf(api, conversationId(box, 'ann'))).map(({ metadata }) => metadata.source);
    expect(shown).toEqual([undefined, { delivery_state: 'read' }]);
    const warnings = api.lines.filter(({ event }) => event === 'inbound.unusable_metadata');
    expect(warnings.map(({ fields }) => fields['leftOut'])).toEqual([1]);
  });

  it('keeps a receipt that comes before its letter', async () => {
    await using api = await start();
    expect((await put(api, { receipts: [{ of: 'l-1', state: 'read' }] })).status).toBe(200);
    await put(api, { post: [letter] });
    const [stored] = await messagesOf(api, conversationId(box, 'ann'));
    expect(stored?.metadata.source).toEqual({ delivery_state: 'read' });
  });

  it('has a body limit of its own', async () => {
    await using api = await start();
    const long = { ...letter, text: 'x'.repeat(1_500_000) };
    expect((await put(api, { post: [long] })).status).toBe(200);
    const longer = { ...letter, text: 'x'.repeat(letterLimit) };
    expect(refusalOf(await put(api, { post: [longer] }))).toEqual([413, 'body_too_large']);
  });

  it('takes the methods it names', async () => {
    await using api = await start();
    const shaken = await fetch(`${api.url}/letters?token=${secret}&challenge=42`);
    expect([shaken.status, shaken.headers.get('content-type'), await shaken.text()]).toEqual([200, 'text/plain', '42']);
    expect((await fetch(`${api.url}/letters?token=wrong&challenge=42`)).status).toBe(403);
    const other = await fetch(`${api.url}/letters`, { method: 'PUT' });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
  });

  it('leaves one line, and is counted', async () => {
    await using api = await start();
    await put(api, { post: [letter] }, { 'X-Request-Id': 'letter-1' });
    const lines = api.lines.filter(({ event }) => event === 'inbound.answered').map(({ fields }) => fields);
    expect(lines).toEqual([{ inbound: '/letters', status: 200, ms: expect.any(Number), requestId: 'letter-1' }]);
    const caller = 'platform /letters';
    expect(api.sent.map(({ origin }) => origin)).toEqual([{ cause: `${caller} letter-1`, caller }]);
    expect(await api.metrics.registry.metrics()).toContain('{operation="/letters",status="200"} 1');
  });
});

/** A hub that calls a post office which accepts everything. */
async function dispatching() {
  const api = await start();
  const calls: OutgoingRequest[] = [];
  const accepting = answering(201, { number: 'n-1' });
  api.dispatch({
    ...accepting,
    send(request) {
      calls.push(request);
      return accepting.send(request);
    },
  });
  return { api, calls, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

describe('a connector of one line', () => {
  it('starts conversations, delivers, and takes receipts', async () => {
    await using hub = await dispatching();
    const { api, calls } = hub;
    const sent = await api.post<Message>('/messages.send', {
      ...{ channel_id: box, source_recipient_id: 'a n n' },
      message: { text: 'Dear Ann' },
    });
    expect([sent.status, sent.body.state]).toEqual([200, 'pending']);
    const conversation = conversationId(box, 'ann');
    const only = async (): Promise<Message> => (await messagesOf(api, conversation))[0]!;
    await until('delivered', async () => (await only()).state === 'delivered');
    expect(calls.map(({ url, body }) => [url, body])).toEqual([
      ['https://letters.example/whoami', ''],
      ['https://letters.example/send', '{"to":"ann","text":{"text":"Dear Ann"}}'],
    ]);
    expect((await put(api, { receipts: [{ of: 'n-1', state: 'read' }] })).status).toBe(200);
    expect((await only()).metadata.source).toEqual({ id: 'n-1', delivery_state: 'read' });
  });

  it('that has no such power can not start conversations', async () => {
    const { starter: _, ...quiet } = lettersConnector();
    await using api = await startApi({ connectors: [() => quiet] });
    await api.commands.send('channel', box, 'channel.connect', {
      ...{ source: 'letters', sourceChannelId: 'box-1', name: 'Box' },
    });
    const start = { channel_id: box, source_recipient_id: 'ann', message: {} };
    expect(refusalOf(await api.post('/messages.send', start))).toEqual([400, 'source_cannot_start_conversation']);
  });
});
