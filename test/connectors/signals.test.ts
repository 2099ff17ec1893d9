import { expect, test } from 'vitest';
import { conversationId } from '#actors/ids.ts';
import { factories } from '#src/connectors/registry.ts';
import { answering, startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { lettersConnector, signatureOf } from './letters.ts';
import { box, letter } from './letters-specimen.ts';

/** A hub with the box of the post office, in which Ann has written a letter. */
async function start(): Promise<TestApi> {
  const api = await startApi({ connectors: [...factories, lettersConnector] });
  const channel = { source: 'letters', sourceChannelId: 'box-1', name: 'Box' };
  await api.commands.send('channel', box, 'channel.connect', channel);
  await put(api, { post: [letter] });
  return api;
}

async function put(api: TestApi, content: object): Promise<void> {
  const body = JSON.stringify(content);
  const answer = await api.post('/letters', body, { 'X-Letters-Signature': signatureOf(body) });
  expect(answer.status).toBe(200);
}

const place = { channel: 'box-1', conversation: 'ann' };
const conversation_id = conversationId(box, 'ann');
const metadataOf = async (api: TestApi): Promise<Record<string, unknown>> =>
  (await api.post<{ metadata: Record<string, unknown> }>('/conversations.info', { conversation_id })).body.metadata;

test('a contact that types is shown until they stop, or write', async () => {
  await using api = await start();
  const typing = (is: boolean) => put(api, { signals: [{ ...place, kind: 'typing', typing: is }] });
  await typing(true);
  expect(await metadataOf(api)).toMatchObject({ isUserTyping: true });
  await typing(false);
  expect(await metadataOf(api)).not.toHaveProperty('isUserTyping');
  await typing(true);
  await put(api, { post: [{ ...letter, id: 'l-2' }] });
  expect(await metadataOf(api)).not.toHaveProperty('isUserTyping');
});

test('a contact that asks for a person opens the conversation', async () => {
  await using api = await start();
  await put(api, { signals: [{ ...place, kind: 'agent-requested' }] });
  expect(await metadataOf(api)).toMatchObject({ state: 'OPEN' });
});

test('what happens in a conversation not there is not heard', async () => {
  await using api = await start();
  const signals = [
    { channel: 'box-1', conversation: 'bob', kind: 'typing', typing: true },
    { channel: 'box-2', conversation: 'ann', kind: 'agent-requested' },
  ];
  await put(api, { signals });
  expect(await metadataOf(api)).not.toHaveProperty('state');
});

test('a watermark moves what was sent before it, never backwards', async () => {
  await using api = await start();
  api.dispatch(answering(200, { number: 'n' }));
  const sent: { id: string; sent_at: string }[] = [];
  for (const text of ['1', '2', '3']) {
    const answer = await api.post<{ id: string; sent_at: string }>('/messages.send', {
      conversation_id,
      message: { text },
    });
    sent.push(answer.body);
    api.system.clock.advance(1_000);
  }
  type Listed = {
    id: string;
    from_contact: boolean;
    state: string;
    metadata: { source?: { delivery_state?: string } };
  };
  const listed = async (): Promise<Listed[]> => {
    const { body } = await api.post<{ data: Listed[] }>('/messages.list', { conversation_id });
    return body.data.filter(({ from_contact }) => !from_contact);
  };
  await until('delivered', async () => (await listed()).every(({ state }) => state === 'delivered'));
  const reached = (state: string, message: number) =>
    put(api, { signals: [{ ...place, kind: 'reached', state, until: Date.parse(sent[message]!.sent_at) }] });
  const states = async () => (await listed()).map(({ metadata }) => metadata.source?.delivery_state);
  await reached('read', 0);
  expect(await states()).toEqual(['read', undefined, undefined]);
  await reached('delivered', 2);
  expect(await states()).toEqual(['read', 'delivered', 'delivered']);
  await reached('read', 1);
  await reached('delivered', 1);
  expect(await states()).toEqual(['read', 'read', 'delivered']);
});
