import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../_support/source-client.ts';
import { type Receiver, startReceiver } from '../../dispatch/receiver.ts';
import { aCursor, aTime, aUuid, chapter, type EventExample, type Listed, unknownId } from './chapter.ts';

// The specification: “Outbound webhook subscription”, “Outbound webhooks”, “Events”; decisions §9.
const spec = chapter();
const key = 'a-key-that-only-we-know';
const allTypes = ['message.created', 'message.updated', 'conversation.updated', 'channel.updated'];

interface Subscription {
  id: string;
  status: string;
}

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver((response, path) => {
    if (path === '/gone') response.statusCode = 410;
    if (path === '/moved') response.writeHead(302, { Location: urlOf('/elsewhere') });
    response.end('ok');
  });
});
afterAll(() => receiver[Symbol.asyncDispose]());

const urlOf = (path: string): string => `http://127.0.0.1:${receiver.port}${path}`;
const subscribe = async (path: string, fields: object = {}): Promise<Subscription> =>
  (await spec.post<Subscription>('webhooks.subscribe', { url: urlOf(path), ...fields })).body;

/** What arrived at a path, once it is as much as that. */
async function arrived(path: string, count: number) {
  const found = () => receiver.requests.filter((request) => request.path === path);
  await until(`${count} at ${path}`, () => found().length >= count);
  return found().map(({ headers, body, method }) => ({
    ...{ method, headers, body, event: JSON.parse(body.toString()) as EventExample },
  }));
}

describe('a subscription', () => {
  const fields = { name: 'CRM', events: ['message.created', 'conversation.updated'], headers: { 'X-Team': 'support' } };

  it('is answered as Subscribed, without its signature_key', async () => {
    const asked = { url: urlOf('/unused'), ...fields, signature_key: key };
    const { status, body } = await spec.post('webhooks.subscribe', asked);
    expect([status, body]).toEqual([
      200,
      { id: aUuid, url: urlOf('/unused'), ...fields, status: 'Subscribed', state: expect.any(String) },
    ]);
  });

  it('is to all event types when none are named', async () => {
    expect(await subscribe('/unused')).toMatchObject({ events: allTypes });
  });

  it('is changed by webhooks.update, or .subscribe with its id', async () => {
    const { id, ...rest } = await subscribe('/unused', fields);
    const updated = await spec.post('webhooks.update', { id, name: 'Sales' });
    expect([updated.status, updated.body]).toEqual([200, { id, ...rest, name: 'Sales' }]);
    expect(await subscribe('/unused', { id, name: 'Again' })).toEqual({ id, ...rest, name: 'Again' });
  });

  it('is Unsubscribed by webhooks.unsubscribe', async () => {
    const { id } = await subscribe('/unused');
    const { status, body } = await spec.post('webhooks.unsubscribe', { id });
    expect([status, body]).toMatchObject([200, { id, status: 'Unsubscribed' }]);
    expect((await spec.post('webhooks.info', { id })).body).toEqual(body);
  });

  it('is in webhooks.list, until webhooks.delete', async () => {
    const subscription = await subscribe('/unused');
    const list = async () => (await spec.post<{ data: Subscription[] }>('webhooks.list')).body.data;
    expect(await list()).toContainEqual(subscription);
    expect((await spec.post('webhooks.delete', { id: subscription.id })).status).toBeLessThan(300);
    expect(await list()).not.toContainEqual(subscription);
  });

  it('shows no header whose name says that it is a secret', async () => {
    const headers = { Authorization: 'Bearer of-something', 'X-Api-Key': 'a-key', 'X-Team': 'support' };
    const shown = { Authorization: 'Bear...', 'X-Api-Key': '...', 'X-Team': 'support' };
    expect(await subscribe('/unused', { headers })).toMatchObject({ headers: shown });
  });

  it('knows no other event type, and no other id', async () => {
    const unknown = await spec.post('webhooks.subscribe', { url: urlOf('/unused'), events: ['message.read'] });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await spec.post('webhooks.info', { id: unknownId })).status).toBe(404);
  });
});

describe('a delivery', () => {
  it('is a POST of one Event with the headers', async () => {
    await subscribe('/signed', { events: ['message.created'], headers: { 'X-Team': 'support' }, signature_key: key });
    const conversation_id = await spec.conversationOf('ann', 'hello');
    const [{ method, headers, body, event }] = (await arrived('/signed', 1)) as [
      Awaited<ReturnType<typeof arrived>>[0],
    ];
    expect(method).toBe('POST');
    expect(headers).toMatchObject({
      ...{ 'content-type': 'application/json', 'x-team': 'support' },
      'user-agent': expect.stringMatching(/^parley\//),
      'x-service-content-signature': createHmac('sha256', key).update(body).digest('hex'),
    });
    expect(() => new Webhook(key, { format: 'raw' }).verify(body, headers as Record<string, string>)).not.toThrow();
    expect(event).toEqual({
      ...{ type: 'message.created', subject: { type: 'conversation', id: conversation_id } },
      ...{ timestamp: expect.any(Number), seq: 1, cursor: aCursor },
      payload: {
        ...{ conversation_id, channel_id: await spec.channelId() },
        message: {
          ...{ id: aUuid, content: { text: 'hello' }, state: 'delivered', delivery_state: 'delivered' },
          ...{ from_contact: true, sent_at: aTime, source: 'shop', metadata: {}, sender: { id: 'ann' } },
        },
      },
    });
  });

  it('carries the four event types, with their payloads', async () => {
    await subscribe('/types');
    const conversation_id = await spec.conversationOf('bob', 'hello');
    await spec.asShop('sources.channels.create', { source_channel_id: 'new', name: 'New' });
    const { body } = await spec.post<{ id: string }>('messages.send', { conversation_id, message: { text: 'Hi' } });
    await until(
      'all types',
      async () => new Set((await arrived('/types', 1)).map(({ event }) => event.type)).size === 4,
    );
    const events = (await arrived('/types', 4)).map(({ event }) => event);
    const payloadOf = (type: string) => events.findLast((event) => event.type === type)?.payload;
    expect(payloadOf('message.updated')).toMatchObject({
      ...{ conversation_id, message: { id: body.id, delivery_state: 'delivered', from_contact: false } },
    });
    expect(payloadOf('message.updated')).toHaveProperty('message.metadata.source.id', `sent-${body.id}`);
    expect(payloadOf('conversation.updated')).toMatchObject({
      ...{ id: conversation_id, created_at: aTime, metadata: { contact: { displayName: expect.any(String) } } },
      last_message: { content: expect.any(Object) },
    });
    expect(payloadOf('channel.updated')).toEqual({
      ...{ id: aUuid, source: 'shop', source_channel_id: 'new', source_id: 'shop', metadata: { name: 'New' } },
      connected: true,
    });
  });

  it('starts with what happens after the subscription', async () => {
    await spec.conversationOf('cy', 'before');
    await subscribe('/later', { events: ['message.created'] });
    await spec.conversationOf('cy', 'after');
    const [first] = await arrived('/later', 1);
    expect(first!.event.payload).toMatchObject({ message: { content: { text: 'after' } } });
  });

  it('that is answered with 410 unsubscribes', async () => {
    const { id } = await subscribe('/gone', { events: ['message.created'] });
    await spec.conversationOf('fay', 'hello');
    const status = async () => (await spec.post<Subscription>('webhooks.info', { id })).body.status;
    await until('unsubscribed', async () => (await status()) === 'Unsubscribed');
  });

  it('that is redirected is a failure, tried again later', async () => {
    const { id } = await subscribe('/moved', { events: ['message.created'] });
    await spec.conversationOf('gil', 'hello');
    const scheduled = async () =>
      (await spec.post<Listed>('webhooks.deliveries', { id, status: 'scheduled' })).body.data;
    await until('scheduled', async () => (await scheduled()).length === 1);
    expect((await scheduled())[0]).toMatchObject({ attempts: [{ status: 302 }] });
    expect(receiver.requests.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  it('ends with webhooks.unsubscribe, and goes on with resume', async () => {
    const { id } = await subscribe('/resumed', { events: ['message.created'] });
    await spec.post('webhooks.unsubscribe', { id });
    await spec.conversationOf('dora', 'meanwhile');
    await subscribe('/resumed', { id, resume: true });
    const [first] = await arrived('/resumed', 1);
    expect(first!.event.payload).toMatchObject({ message: { content: { text: 'meanwhile' } } });
  });
});

describe('what the decisions add', () => {
  it('webhooks.test answers what the receiver said', async () => {
    const { id } = await subscribe('/tested');
    const { status, body } = await spec.post('webhooks.test', { id });
    const said = { status: 200, duration_ms: expect.any(Number), body: 'ok', reason: null };
    expect([status, body]).toEqual([200, said]);
    expect((await arrived('/tested', 1))[0]!.event).toMatchObject({ type: expect.any(String), payload: {} });
  });

  it('webhooks.deliveries lists attempts, webhooks.replay repeats', async () => {
    const { id } = await subscribe('/listed', { events: ['message.created'] });
    await spec.conversationOf('eve', 'hello');
    const [first] = await arrived('/listed', 1);
    const list = async () => (await spec.post<Listed>('webhooks.deliveries', { id, status: 'delivered' })).body.data;
    await until('recorded', async () => (await list()).length === 1);
    const [delivery] = await list();
    expect(delivery).toEqual({
      ...{ id: first!.headers['webhook-id'], status: 'delivered', event: { type: 'message.created', seq: 1 } },
      attempts: [{ at: aTime, duration_ms: expect.any(Number), status: 200, reason: null, answer: 'ok' }],
    });
    expect((await spec.post('webhooks.replay', { id, delivery_id: delivery!.id })).status).toBe(202);
    const [, again] = await arrived('/listed', 2);
    expect([again!.headers['webhook-id'], again!.event.seq]).toEqual([delivery!.id, 1]);
  });
});
