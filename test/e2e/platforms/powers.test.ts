import { expect, test } from 'vitest';
import { type PlatformStage, startPlatform } from '../../_support/platform-double.ts';
import { until } from '../../_support/source-client.ts';

interface Listed {
  state: string;
  metadata: { media?: Record<string, { media_url: string; type: string }> };
}

async function connect({ hub, double }: PlatformStage): Promise<string> {
  const { operation, body } = double.connect;
  const answer = await hub.post<{ id: string }>(`/${operation}`, body);
  expect(answer.status).toBe(200);
  return answer.body.id;
}

/** The one conversation, once it is there. */
async function conversationOf({ hub }: PlatformStage): Promise<string> {
  const list = async () => (await hub.post<{ data: { id: string }[] }>('/conversations.list', {})).body.data;
  await until('the conversation is there', async () => (await list()).length === 1);
  return (await list())[0]!.id;
}

interface Call {
  status: number;
  body?: Record<string, unknown>;
}

const callsOf = async ({ double }: PlatformStage): Promise<Call[]> =>
  (await double.control<{ data: Call[] }>('calls')).data;

test.each<[string, object, object | null]>([
  ['pageplatform', { sender_action: 'mark_seen' }, { sender_action: 'typing_on' }],
  ['photoplatform', { sender_action: 'mark_seen' }, { sender_action: 'typing_on' }],
  ['cloudmsg', { status: 'read' }, null],
  ['bizmaps', { receiptType: 'READ' }, { eventType: 'TYPING_STARTED' }],
])('on %s contacts see what agents do', { timeout: 60_000 }, async (source, read, typing) => {
  await using stage = await startPlatform(source);
  await connect(stage);
  await stage.double.control('message', { text: 'Hello' });
  const conversation_id = await conversationOf(stage);
  const sees = (wanted: object) =>
    until(JSON.stringify(wanted), async () =>
      (await callsOf(stage)).some(
        ({ status, body = {} }) =>
          status === 200 && Object.entries(wanted).every(([field, value]) => body[field] === value),
      ),
    );
  await stage.hub.post('/conversations.mark-read', { conversation_id });
  await sees(read);
  await stage.hub.post('/conversations.typing', { conversation_id });
  if (typing !== null) await sees(typing);
});

test.each([
  ['telco.sms', '+1 555 000 2009', '+15550002009', { text: 'Your order is ready.' }],
  ['telco.cloudmsg', '+1 555 000 2009', 'whatsapp:+15550002009', { ContentSid: 'HX0' }],
  [
    ...(['cloudmsg', '+49 155 5000 4009', '4915550004009'] as const),
    { type: 'template', template: { name: 'order_ready', language: { code: 'en' } } },
  ],
])('on %s the hub may write first', { timeout: 60_000 }, async (source, recipient, contact, message) => {
  await using stage = await startPlatform(source);
  const channel_id = await connect(stage);
  const sent = await stage.hub.post<{ id: string }>('/messages.send', {
    ...{ source_recipient_id: recipient, channel_id, message },
  });
  expect(sent.status).toBe(200);
  const info = async () => (await stage.hub.post<Listed>('/messages.info', { message_id: sent.body.id })).body;
  await until('it is delivered', async () => (await info()).state === 'delivered');
  expect((await stage.double.control<{ data: object[] }>('sent')).data).toMatchObject([{ contact }]);
  // Who answers is in the same conversation.
  await stage.double.control('message', { from: contact, text: 'Thanks' });
  const conversation_id = await conversationOf(stage);
  await until('the answer is there, too', async () => {
    const { body } = await stage.hub.post<{ data: Listed[] }>('/messages.list', { conversation_id });
    return body.data.length === 2;
  });
});

test.each<[string, (url: string) => object]>([
  ['pageplatform', (url) => ({ attachments: [{ type: 'image', payload: { url: `${url}/media/lamp.png` } }] })],
  ['photoplatform', (url) => ({ attachments: [{ type: 'image', payload: { url: `${url}/media/lamp.png` } }] })],
  ['cloudmsg', () => ({ type: 'image', image: { id: '400000000000001', mime_type: 'image/png' } })],
  ['telco.sms', () => ({ media: ['image/png'] })],
  ['telco.cloudmsg', () => ({ media: ['image/png'] })],
])('files of %s are copied into the hub', { timeout: 60_000 }, async (source, content) => {
  await using stage = await startPlatform(source);
  const { hub, double } = stage;
  expect((await hub.post('/components.install', { name: 'media-resolver' })).status).toBe(202);
  await connect(stage);
  await double.control('message', { content: content(double.url) });
  const conversation_id = await conversationOf(stage);
  const media = async () => {
    const { body } = await hub.post<{ data: Listed[] }>('/messages.list', { conversation_id });
    return Object.values(body.data[0]?.metadata.media ?? {});
  };
  await until('the file is there', async () => (await media()).length === 1);
  const [file] = await media();
  expect(file).toMatchObject({ type: 'image/png', media_url: expect.any(String) });
  const served = await fetch(new URL(file!.media_url, hub.url));
  expect(served.headers.get('content-type')).toBe('image/png');
});
