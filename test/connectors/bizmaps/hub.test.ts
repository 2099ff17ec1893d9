import { expect, test } from 'vitest';
import { channelId, conversationId } from '#actors/ids.ts';
import type { RawRequest } from '#src/connectors/connector.ts';
import type { OutgoingClient, OutgoingRequest } from '#src/outgoing/client.ts';
import { answering, startApi, type TestApi } from '../../_support/api.ts';
import { until } from '../../_support/source-client.ts';
import { accessToken, bizMapsConfig, context, envelope, message, partnerKey, posted, privateKey } from './platform.ts';

const channel_id = channelId('bizmaps', '2222');
const conversation_id = conversationId(channel_id, '3333');

/** A platform that grants tokens, and takes every message under its id. */
function platform() {
  const calls: OutgoingRequest[] = [];
  const client: OutgoingClient = {
    send(request) {
      calls.push(request);
      const isGrant = request.url.endsWith('/token');
      return answering(200, isGrant ? { access_token: accessToken, expires_in: 3600 } : {}).send(request);
    },
    close: async () => {},
  };
  return { calls, client };
}

async function call(api: TestApi, { headers, body }: RawRequest): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${api.url}/bizmaps`, {
    ...{ method: 'POST', headers: headers as Record<string, string>, body: Buffer.from(body) },
  });
  return { status: answer.status, text: await answer.text() };
}

const say = async (api: TestApi, event: object): Promise<void> => {
  expect(await call(api, posted({ ...envelope, ...event }))).toEqual({ status: 200, text: '' });
};

interface Message {
  id: string;
  content: unknown;
  state: string;
  from_contact: boolean;
  metadata: { error?: string; source?: object; postback?: object };
}

const messagesIn = async (api: TestApi): Promise<Message[]> =>
  (await api.post<{ data: Message[] }>('/messages.list', { conversation_id })).body.data;

async function connected(client: OutgoingClient): Promise<TestApi> {
  const api = await startApi({ config: bizMapsConfig(), client });
  api.dispatch(client);
  const { body } = await api.post('/channels.bizmaps.connect', { agent_id: '2222', name: 'Agent' });
  expect(body).toMatchObject({ id: channel_id, source: 'bizmaps', source_channel_id: '2222', connected: true });
  return api;
}

test('an agent is connected, asked, answers, and is disconnected', async () => {
  const { calls, client } = platform();
  await using api = await connected(client);
  await Promise.all(Array.from({ length: 20 }, () => say(api, { message, context })));
  expect(await messagesIn(api)).toMatchObject([{ content: message, from_contact: true }]);
  const shown = await api.post<{ metadata: object }>('/conversations.info', { conversation_id });
  expect(shown.body.metadata).toMatchObject({ contact: { display_name: 'Ann' } });

  const answer = { text: 'Hello Ann', representative: { representativeType: 'HUMAN' } };
  await api.post('/messages.send', { conversation_id, message: answer });
  const reply = async () => (await messagesIn(api)).find(({ from_contact }) => !from_contact)!;
  await until('delivered', async () => (await reply())?.state === 'delivered');
  const { id } = await reply();
  const sent = calls.find(({ url }) => url.endsWith('/conversations/3333/messages'));
  expect(JSON.parse(String(sent?.body))).toEqual({ ...answer, messageId: id });
  for (const receiptType of ['READ', 'DELIVERED']) {
    await say(api, { receipts: { receipts: [{ receiptType, message: `conversations/3333/messages/${id}` }] } });
  }
  expect((await reply()).metadata.source).toEqual({ id, delivery_state: 'read' });

  expect((await api.post('/channels.bizmaps.disconnect', { channel_id })).status).toBe(202);
  await say(api, { message: { ...message, messageId: '5555' } });
  expect(await messagesIn(api)).toHaveLength(2);
  const told = JSON.stringify([api.lines, await messagesIn(api)]);
  for (const secret of [accessToken, partnerKey, privateKey]) expect(told).not.toContain(secret);
});

test('a contact types, chooses, and asks for a person', async () => {
  await using api = await connected(platform().client);
  await say(api, { suggestionResponse: { postbackData: 'order-1', text: 'Yes', type: 'REPLY' } });
  expect(await messagesIn(api)).toMatchObject([{ metadata: { postback: { payload: 'order-1', title: 'Yes' } } }]);
  await say(api, { userStatus: { isTyping: true } });
  await say(api, { userStatus: { requestedLiveAgent: true } });
  await say(api, { authenticationResponse: { code: 'c' } });
  const { body } = await api.post<{ metadata: object }>('/conversations.info', { conversation_id });
  expect(body.metadata).toMatchObject({ isUserTyping: true, state: 'OPEN', authenticationResponse: { code: 'c' } });
});

test('a message without a representative fails with a sentence', async () => {
  await using api = await connected(platform().client);
  await say(api, { message });
  await api.post('/messages.send', { conversation_id, message: { text: 'Hello' } });
  const failed = async () => (await messagesIn(api)).find(({ state }) => state === 'failed');
  await until('failed', async () => (await failed()) !== undefined);
  expect((await failed())?.metadata.error).toContain('representative.representativeType');
});

test('the handshake is answered with its secret, once it is proved', async () => {
  await using api = await startApi({ config: bizMapsConfig() });
  const shake = (clientToken: string) =>
    call(api, { ...posted({}), headers: {}, body: Buffer.from(JSON.stringify({ clientToken, secret: 's-1' })) });
  expect(await shake(partnerKey)).toEqual({ status: 200, text: 's-1' });
  expect((await shake('another')).status).toBe(403);
  expect(api.sent).toEqual([]);
});
