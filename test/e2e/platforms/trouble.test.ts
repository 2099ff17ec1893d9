import { expect, test } from 'vitest';
import { simulatedSources } from '#src/doubles/sources.ts';
import { type PlatformStage, startPlatform } from '../../_support/platform-double.ts';
import { until } from '../../_support/source-client.ts';

interface Listed {
  state: string;
  metadata: { error?: string; source?: { id?: string } };
}

/** They wait for most of their time, so they do it together. */
const sources = simulatedSources.map(({ source }) => [source] as const);

/** What each platform says of a message that it refuses, and of too many. */
const words: Record<string, { refused: string; tooMany: string }> = {
  pageplatform: { refused: "This person isn't available right now", tooMany: '#613' },
  photoplatform: { refused: "This person isn't available right now", tooMany: '#613' },
  cloudmsg: { refused: 'Message undeliverable', tooMany: 'Rate limit hit' },
  bizmaps: { refused: 'can not be delivered', tooMany: 'Quota exceeded' },
  'telco.sms': { refused: 'Permission to send an SMS', tooMany: 'Too Many Requests' },
  'telco.cloudmsg': { refused: 'Permission to send an SMS', tooMany: 'Too Many Requests' },
};

/** A contact has written. @returns what sends to them, and how that is */
async function answering({ hub, double }: PlatformStage) {
  const { operation, body } = double.connect;
  expect((await hub.post(`/${operation}`, body)).status).toBe(200);
  await double.control('message', { text: 'Hello' });
  const list = async () => (await hub.post<{ data: { id: string }[] }>('/conversations.list', {})).body.data;
  await until('the conversation is there', async () => (await list()).length === 1);
  const [{ id: conversation_id }] = (await list()) as [{ id: string }];
  return async (): Promise<() => Promise<Listed>> => {
    const message = JSON.parse(JSON.stringify(double.reply).replace('<text>', 'Hi'));
    const sent = await hub.post<{ id: string }>('/messages.send', { conversation_id, message });
    expect(sent.status).toBe(200);
    return async () => (await hub.post<Listed>('/messages.info', { message_id: sent.body.id })).body;
  };
}

test.concurrent.each(sources)('%s refuses and throttles in its words', { timeout: 60_000 }, async (source) => {
  await using stage = await startPlatform(source);
  const send = await answering(stage);
  await stage.double.control('behave', { fail: 1 });
  const refused = await send();
  await until('it failed', async () => (await refused()).state === 'failed');
  expect((await refused()).metadata.error).toContain(words[source]!.refused);
  await stage.double.control('behave', { fail: 0, throttle: 0.01 });
  const taken = await send();
  await until('one is taken', async () => (await taken()).state === 'delivered');
  const waiting = await send();
  await until('the next waits', async () => (await waiting()).metadata.error !== undefined);
  expect(await waiting()).toMatchObject({
    state: 'pending',
    metadata: { error: expect.stringContaining(words[source]!.tooMany) },
  });
  await stage.double.control('behave', { throttle: null });
  await until('it is taken, too', async () => (await waiting()).state === 'delivered', 30_000);
  expect((await stage.double.control<{ data: unknown[] }>('sent')).data).toHaveLength(2);
});

test.concurrent('a message that was never answered is sent again', { timeout: 60_000 }, async () => {
  await using stage = await startPlatform('cloudmsg');
  const send = await answering(stage);
  await stage.double.control('behave', { hang: 1 });
  const message = await send();
  const calls = async () => (await stage.double.control<{ data: { status: number | null }[] }>('calls')).data;
  await until('it hangs', async () => (await calls()).some(({ status }) => status === null));
  await stage.double.control('behave', { hang: 0 });
  await until('it is taken', async () => (await message()).state === 'delivered', 40_000);
  expect((await stage.double.control<{ data: unknown[] }>('sent')).data).toHaveLength(1);
});
