import { expect } from 'vitest';
import { type PlatformStage, startPlatform } from '../../_support/platform-double.ts';
import { until } from '../../_support/source-client.ts';

/** What a source's circle says in its own words. */
export interface Circle {
  source: string;
  /** As the channel is listed. */
  sourceChannelId: string;
  /** What an agent sends, in the platform's words. */
  reply: object;
  /** The part of what the platform took that holds the reply. */
  onTheWire: object;
  /** The last state that the platform reports. */
  lastReport: string;
  /** The contact's name, where the platform tells it. */
  name?: string;
  /** What the contact wrote, as the message has it. */
  written: object;
  /** A call that lets the platform go, where there is one. */
  farewell?: { method: string; path: string };
}

interface Listed {
  id: string;
  content: unknown;
  state: string;
  from_contact: boolean;
  metadata: { error?: string; source?: { id?: string; delivery_state?: string } };
}
interface Conversation {
  id: string;
  metadata: { contact?: { displayName?: string; display_name?: string } };
}
interface Channel {
  id: string;
  source: string;
  source_channel_id: string;
  connected?: boolean;
}
interface Webhook {
  last: { status: number | null } | null;
}
interface Sent {
  id: string;
  content: object;
}

/** Posts to the hub, and wants a 2xx. */
async function ask<T>({ hub }: PlatformStage, operation: string, body: object): Promise<T> {
  const answer = await hub.post<T>(`/${operation}`, body);
  expect(answer.status, `${operation}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

const messagesOf = async (stage: PlatformStage, conversation_id: string): Promise<Listed[]> =>
  (await ask<{ data: Listed[] }>(stage, 'messages.list', { conversation_id })).data;

const conversationsOf = async (stage: PlatformStage): Promise<Conversation[]> =>
  (await ask<{ data: Conversation[] }>(stage, 'conversations.list', {})).data;

/** From the connection of an account to its end, with a message each way. */
export async function playCircle(circle: Circle, flags: readonly string[] = []): Promise<void> {
  await using stage = await startPlatform(circle.source, flags);
  const channel = await connect(stage, circle);
  const conversation = await hear(stage, circle);
  await answer(stage, circle, conversation);
  await leave(stage, circle, channel, conversation);
  const secrets = /canary-of|EAA[\w-]{20}|PRIVATE KEY/;
  expect(JSON.stringify(stage.hub.log)).not.toMatch(secrets);
}

async function connect(stage: PlatformStage, { source, sourceChannelId }: Circle): Promise<Channel> {
  await shakeHands(stage, source);
  const { operation, body } = stage.double.connect;
  const connected = await ask<Channel>(stage, operation, body);
  expect(connected).toMatchObject({ source, source_channel_id: sourceChannelId });
  const again = await ask<Channel>(stage, operation, body);
  expect(again.id).toBe(connected.id);
  const { data } = await ask<{ data: Channel[] }>(stage, 'channels.list', { source });
  expect(data.map(({ id }) => id)).toEqual([connected.id]);
  return connected;
}

/** What a platform asks when its webhook is set up, where it asks. */
async function shakeHands({ double }: PlatformStage, source: string): Promise<void> {
  const asked = double.control('handshake', {});
  if (source.startsWith('telco')) await expect(asked).rejects.toThrow('does not ask');
  else expect(await asked).toEqual({ status: 200, accepted: true });
}

async function hear(stage: PlatformStage, { name, written }: Circle): Promise<string> {
  await stage.double.control('message', { text: 'Is the lamp in stock?', name: 'Ada Lovelace' });
  await until('the conversation is there', async () => (await conversationsOf(stage)).length === 1);
  const [conversation] = (await conversationsOf(stage)) as [Conversation];
  const messages = await messagesOf(stage, conversation.id);
  expect(messages).toMatchObject([{ from_contact: true, content: written }]);
  if (name !== undefined) {
    await until('the contact has a name', async () =>
      JSON.stringify((await conversationsOf(stage))[0]?.metadata).includes(name),
    );
  }
  return conversation.id;
}

async function answer(stage: PlatformStage, circle: Circle, conversation_id: string): Promise<void> {
  const { id } = await ask<Listed>(stage, 'messages.send', { conversation_id, message: circle.reply });
  const reply = async () => (await messagesOf(stage, conversation_id)).find((message) => message.id === id);
  await until('the platform has reported', async () => {
    const { state, metadata } = (await reply())!;
    if (state === 'failed') throw new Error(`the reply failed: ${metadata.error}`);
    return metadata.source?.delivery_state === circle.lastReport;
  });
  await until('every webhook is taken', async () => {
    const { data } = await stage.double.control<{ data: Webhook[] }>('webhooks');
    return data.every(({ last }) => last?.status === 200);
  });
  const [sent, ...others] = (await stage.double.control<{ data: Sent[] }>('sent')).data;
  expect(others).toEqual([]);
  expect(sent!.content).toMatchObject(circle.onTheWire);
  expect(await reply()).toMatchObject({
    state: 'delivered',
    content: circle.reply,
    metadata: { source: { id: sent!.id, delivery_state: circle.lastReport } },
  });
  expect(await messagesOf(stage, conversation_id)).toHaveLength(2);
}

async function leave(
  stage: PlatformStage,
  circle: Circle,
  { id, source }: Channel,
  conversation: string,
): Promise<void> {
  const disconnect = `channels.${source}.disconnect`;
  expect((await stage.hub.post(`/${disconnect}`, { channel_id: id })).status).toBe(202);
  expect((await stage.hub.post(`/${disconnect}`, { channel_id: id })).status).toBe(202);
  const { data: calls } = await stage.double.control<{ data: object[] }>('calls');
  if (circle.farewell) expect(calls).toContainEqual(expect.objectContaining({ ...circle.farewell, status: 200 }));
  else {
    // The platform goes on; what it sends for a channel that is gone is taken, and kept nowhere.
    const late = await stage.double.control<{ webhook: { status: number } }>('message', { text: 'Still there?' });
    expect(late.webhook.status).toBe(200);
  }
  expect(await messagesOf(stage, conversation)).toHaveLength(2);
  const refused = await stage.hub.post('/messages.send', { conversation_id: conversation, message: circle.reply });
  expect(refused).toMatchObject({ status: 403, body: { code: 'channel_not_connected' } });
}
