import { describe, expect, it } from 'vitest';
import { channelId, conversationId } from '#actors/ids.ts';
import type { OutgoingClient, OutgoingRequest } from '#src/outgoing/client.ts';
import { answering, startApi, type TestApi } from '../../_support/api.ts';
import { until } from '../../_support/source-client.ts';
import { accountSid, chat, chatStatus, type Form, posted, sms, smsStatus, telcoConfig } from './platform.ts';

const sources = [
  { source: 'telco.sms', own: '', message: sms, status: smsStatus },
  { source: 'telco.cloudmsg', own: 'cloudmsg:', message: chat, status: chatStatus },
];

/** A platform that takes everything, and calls a message of ours SM2. */
function platform() {
  const calls: OutgoingRequest[] = [];
  const client: OutgoingClient = {
    send(request) {
      calls.push(request);
      return answering(200, { sid: 'SM2', account_sid: accountSid, status: 'active' }).send(request);
    },
    close: async () => {},
  };
  return { calls, client };
}

async function call(api: TestApi, form: Form): Promise<{ status: number; text: string }> {
  const { headers, body } = posted(form);
  const answer = await fetch(`${api.url}/telco`, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: Buffer.from(body),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Every order of some words. */
const ordersOf = (words: readonly string[]): string[][] =>
  words.length === 0
    ? [[]]
    : words.flatMap((word) => ordersOf(words.filter((other) => other !== word)).map((rest) => [word, ...rest]));

interface Message {
  content: unknown;
  state: string;
  sent_at: string;
  from_contact: boolean;
  metadata: { error?: string; source?: object };
}

describe.each(sources)('a number of $source', ({ source, own, message, status }) => {
  const channel_id = channelId(source, `${own}+4930123456`);
  const conversation_id = conversationId(channel_id, `${own}+491701234567`);
  const messagesIn = async (api: TestApi): Promise<Message[]> =>
    (await api.post<{ data: Message[] }>('/messages.list', { conversation_id, page_size: 100 })).body.data;

  it('is connected, written to, answers, and is disconnected', async () => {
    const { calls, client } = platform();
    await using api = await startApi({ config: telcoConfig(), client });
    api.dispatch(client);
    const number = { phone_number: '+4930123456', name: 'Line' };
    const connected = await api.post(`/channels.${source}.connect`, number);
    expect(connected.body).toMatchObject({ id: channel_id, source, source_channel_id: `${own}+4930123456` });

    const answers = await Promise.all(Array.from({ length: 20 }, () => call(api, message)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(answers[0]!.text).toBe('<?xml version="1.0" encoding="UTF-8"?><Response></Response>');
    expect(await messagesIn(api)).toMatchObject([{ content: message, from_contact: true }]);

    await api.post('/messages.send', { conversation_id, message: { text: 'Hello Ann' } });
    const reply = async () => (await messagesIn(api)).find(({ from_contact }) => !from_contact);
    await until('delivered', async () => (await reply())?.state === 'delivered');
    expect(new URLSearchParams(String(calls.at(-1)!.body)).get('To')).toBe(message.From);
    await call(api, { ...status, MessageStatus: 'delivered' });
    await call(api, { ...status, MessageStatus: 'sent' });
    expect((await reply())?.metadata.source).toEqual({ id: 'SM2', delivery_state: 'delivered' });

    expect((await api.post(`/channels.${source}.disconnect`, { channel_id })).status).toBe(202);
    await call(api, { ...message, MessageSid: 'SM3' });
    expect(await messagesIn(api)).toHaveLength(2);
  });

  it('writes first, and hears of a late failure', async () => {
    const { client } = platform();
    await using api = await startApi({ config: telcoConfig(), client });
    api.dispatch(client);
    await api.post(`/channels.${source}.connect`, { phone_number: '+4930123456', name: 'Line' });
    const first = { channel_id, source_recipient_id: '+49 170 1234567', message: { Body: 'Hello Ann' } };
    expect((await api.post('/messages.send', first)).status).toBe(200);
    await until('delivered', async () => (await messagesIn(api))[0]?.state === 'delivered');
    await call(api, { ...status, MessageStatus: 'undelivered', ErrorCode: '30003' });
    expect(await messagesIn(api)).toMatchObject([
      { state: 'failed', metadata: { error: 'The handset can not be reached (30003)' } },
    ]);
  });

  it('shows the same after every order of receipts', async () => {
    await using api = await startApi({ config: telcoConfig(), client: platform().client });
    await api.post(`/channels.${source}.connect`, { phone_number: '+4930123456', name: 'Line' });
    const orders = ordersOf(['queued', 'sent', 'delivered', 'read']).map((states, n) => ({ states, sid: `SM-${n}` }));
    await Promise.all(
      orders.map(async ({ states, sid }) => {
        const first = states.indexOf('sent');
        for (const [n, state] of states.entries()) {
          // A receipt may come before the message that it is of.
          if (n === first) await call(api, { ...message, MessageSid: sid });
          await call(api, { ...status, MessageSid: sid, MessageStatus: state });
        }
      }),
    );
    const shown = (await messagesIn(api)).map(({ metadata }) => metadata.source);
    expect(shown).toEqual(orders.map(() => ({ delivery_state: 'read' })));
  });

  it('keeps the time at which a message came', async () => {
    await using api = await startApi({ config: telcoConfig(), client: platform().client });
    await api.post(`/channels.${source}.connect`, { phone_number: '+4930123456', name: 'Line' });
    const { clock } = api.system;
    const came = clock.now();
    api.services.raw.spool([{ route: '/telco', body: new URLSearchParams(message).toString() }], came);
    clock.advance(60_000);
    await call(api, { ...message, MessageSid: 'SM5' });
    await until('taken in', async () => (await messagesIn(api)).length === 2);
    const times = (await messagesIn(api)).map(({ sent_at }) => Date.parse(sent_at) - came);
    expect(times).toEqual([0, 60_000]);
  });

  it('stores nothing of a forged call', async () => {
    await using api = await startApi({ config: telcoConfig() });
    const { headers } = posted(message);
    const body = new URLSearchParams({ ...message, Body: 'Forged' });
    const answer = await fetch(`${api.url}/telco`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    expect([answer.status, api.sent]).toEqual([403, []]);
  });
});
