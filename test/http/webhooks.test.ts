import { afterEach, describe, expect, it } from 'vitest';
import { deliveryId } from '#actors/ids.ts';
import { type Answered, answering, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { delivered, failed, ingest, subscriberOf } from '../actors/webhook-support.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';
const url = 'https://crm.example/events';

const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api[Symbol.asyncDispose]();
});

interface Subscription {
  id: string;
  [field: string]: unknown;
}

async function start() {
  const api = await startApi({ client: answering(204, 'thanks') });
  open.push(api);
  const post = <T = Subscription>(verb: string, body: unknown = {}): Promise<Answered<T>> =>
    api.post<T>(`/webhooks.${verb}`, body);
  return { api, post };
}

/** With one subscription. */
async function subscribed() {
  const { api, post } = await start();
  const { body: subscription } = await post('subscribe', { url, events: ['message.created'] });
  const { id } = subscription;
  return { api, post, id, subscription };
}

const withId = {
  update: {},
  unsubscribe: {},
  info: {},
  delete: {},
  test: {},
  deliveries: {},
  replay: { delivery_id: unknown },
};

describe('webhook operations', () => {
  it.each(Object.entries(withId))('%s of an unknown id answers 404', async (verb, fields) => {
    const { post } = await start();
    expect(refusalOf(await post<Refusal>(verb, { id: unknown, ...fields }))).toEqual([404, 'not_found']);
  });

  it('list and info answer what is stored', async () => {
    const { post, id, subscription } = await subscribed();
    expect((await post('list')).body).toEqual({ data: [subscription] });
    expect((await post('info', { id: id.toUpperCase() })).body).toEqual(subscription);
  });

  it('unsubscribe answers the subscription, delete nothing', async () => {
    const { post, id, subscription } = await subscribed();
    expect((await post('unsubscribe', { id })).body).toEqual({
      ...subscription,
      status: 'Unsubscribed',
      state: 'Unsubscribed',
    });
    const { status, body } = await post('delete', { id });
    expect([status, body]).toEqual([204, null]);
    expect((await post('list')).body).toEqual({ data: [] });
  });

  it('test answers what the receiver said', async () => {
    const { post, id } = await subscribed();
    expect((await post('test', { id })).body).toMatchObject({ status: 204, body: '"thanks"', reason: null });
  });
});

describe('secrets of a subscription', () => {
  const secrets = { Authorization: 'Bearer abcdefgh', 'X-Api-Key': 'short', cookie: 'session=0123456789' };
  const shown = { Authorization: 'Bear...', 'X-Api-Key': '...', cookie: 'sess...' };

  it('are masked in every answer', async () => {
    const { post } = await start();
    const { body } = await post('subscribe', { url, headers: { ...secrets, 'X-Team': 'support' } });
    const { id } = body;
    for (const answer of [body, (await post('info', { id })).body, (await post('update', { id, name: 'Ours' })).body]) {
      expect(answer.headers).toEqual({ ...shown, 'X-Team': 'support' });
    }
    expect(JSON.stringify((await post('list')).body)).not.toMatch(/abcdefgh|short|0123456789/);
  });

  it('stay what they are when an answer is given back', async () => {
    const { api, post } = await start();
    const { body } = await post('subscribe', { url, headers: secrets });
    await post('update', { id: body.id, headers: { ...shown, cookie: 'session=new-one-here' } });
    const [work] = api.reader.webhookDeliveries.subscriptions(0);
    expect(work?.headers).toEqual({ ...secrets, cookie: 'session=new-one-here' });
  });
});

describe('/webhooks.subscribe', () => {
  it('starts a new subscription at the end of the feed', async () => {
    const { api, post } = await start();
    await api.addSource('shop');
    const end = api.reader.feed.end();
    const { status, body } = await post('subscribe', { url });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url,
        events: ['message.created', 'message.updated', 'conversation.updated', 'channel.updated'],
        headers: {},
        status: 'Subscribed',
        state: 'idle',
      },
    ]);
    expect(api.sent.at(-1)).toMatchObject({ type: 'webhook.subscribe', body: { start: end } });
    expect(end).not.toEqual([0]);
  });

  it('changes the subscription that the id names', async () => {
    const { post, id, subscription } = await subscribed();
    expect((await post('subscribe', { id, url, name: 'CRM' })).body).toEqual({ ...subscription, name: 'CRM' });
    expect((await post<{ data: object[] }>('list')).body.data).toHaveLength(1);
  });

  it('hands every field on, durations in ms', async () => {
    const { api, post, id } = await subscribed();
    const whole = {
      events: ['message.created', 'message.created'],
      headers: { 'X-Team': 'a b' },
      signature_key: 'key',
    };
    const end = api.reader.feed.end();
    await post('update', { id, ...whole, rotation_overlap: 60 });
    await post('update', { id, events: null, resume: true });
    expect(api.sent.slice(-2).map(({ body }) => body)).toEqual([
      {
        ...{ events: ['message.created'], headers: { 'X-Team': 'a b' }, signatureKey: 'key', rotationOverlap: 60_000 },
        start: end,
      },
      { events: null, resume: true, start: expect.any(Array) },
    ]);
  });

  it('clears what is null', async () => {
    const { api, post, id, subscription } = await subscribed();
    const headers = { 'X-Team': 'a' };
    await post('update', { id, name: 'CRM', headers, signature_key: 'key' });
    const { body } = await post('update', { id, name: null, headers: null, signature_key: null });
    expect(body).toEqual({ ...subscription, headers: {} });
    const work = api.reader.webhookDeliveries.subscriptions(api.system.clock.now());
    expect(work[0]!.signatureKeys).toEqual([]);
  });

  const standardKey = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

  it.each([
    ['no URL', { url: undefined }, 'url'],
    ['another scheme', { url: 'ftp://crm.example/' }, 'url'],
    ['a user name in the URL', { url: 'https://user@crm.example/' }, 'url'],
    ['a password in the URL', { url: 'https://:secret@crm.example/' }, 'url'],
    ['an unknown event type', { events: ['message.created', 'typing'] }, 'events[1]'],
    ['an event type that no webhook carries', { events: ['metadata.updated'] }, 'events[0]'],
    ['no event type', { events: [] }, 'events'],
    ['a space in the name of a header', { headers: { 'X Team': 'a' } }, 'headers.X Team'],
    ['an empty name of a header', { headers: { '': 'a' } }, 'headers.'],
    ['a line break in a header', { headers: { 'X-Team': 'a\r\nb' } }, 'headers.X-Team'],
    ['a header that is not ASCII', { headers: { 'X-Team': 'ä' } }, 'headers.X-Team'],
    ['a header twice', { headers: { 'X-Team': 'a', 'x-team': 'b' } }, 'headers.x-team'],
    ['a header of 2,001 characters', { headers: { 'X-Team': 'a'.repeat(2_001) } }, 'headers.X-Team'],
    ...['Host', 'content-length', 'Content-Type', 'Connection', 'Transfer-Encoding', 'Webhook-Id'].map(
      (name) => [`the header ${name}`, { headers: { [name]: 'a' } }, `headers.${name}`] as const,
    ),
    [
      'the header of the signature',
      { headers: { 'X-Service-Content-Signature': 'a' } },
      'headers.X-Service-Content-Signature',
    ],
    ['33 headers', { headers: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`X-${n}`, 'a'])) }, 'headers'],
    ['an empty key', { signature_key: '' }, 'signature_key'],
    ['a key of 256 characters', { signature_key: 'k'.repeat(256) }, 'signature_key'],
    ['a key with a space', { signature_key: 'a key' }, 'signature_key'],
    ['a standard key of 23 bytes', { signature_key: standardKey(23) }, 'signature_key'],
    ['a standard key of 65 bytes', { signature_key: standardKey(65) }, 'signature_key'],
    ['a standard key that is no base64', { signature_key: `${standardKey(30)}!!!!` }, 'signature_key'],
    ['a negative overlap', { rotation_overlap: -1 }, 'rotation_overlap'],
  ] as const)('refuses %s', async (_, fields, path) => {
    const { api, post } = await start();
    const answer = await post<Refusal>('subscribe', { url, ...fields });
    expect([...refusalOf(answer), answer.body.details?.[0]?.path]).toEqual([400, 'invalid_request', path]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    expect(api.sent).toEqual([]);
  });

  it.each(['k', '~'.repeat(255), standardKey(24), standardKey(64)])('takes the key %s', async (signature_key) => {
    const { api, post } = await start();
    const { status, body } = await post('subscribe', { url, signature_key });
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining(signature_key)]);
    const [stored] = api.reader.webhookDeliveries.subscriptions(api.system.clock.now());
    expect(stored!.signatureKeys).toEqual([signature_key]);
  });
});

/** A subscription with three deliveries: two that failed once, and, between them, one that arrived. */
async function delivering() {
  const { api, post } = await start();
  const subscriber = await subscriberOf(api.system);
  for (const contact of ['ann', 'bob', 'cy']) await ingest(api.system, contact, [contact]);
  const [first, second, third] = subscriber.next();
  await subscriber.record([
    [first!, failed],
    [second!, delivered],
    [third!, failed],
  ]);
  const ids = [first!, second!, third!].map(({ feedKey }) => deliveryId(subscriber.id, feedKey));
  return { api, post, id: subscriber.id, ids };
}

interface Page {
  data: { id: string; status: string }[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

describe('/webhooks.deliveries', () => {
  it('gives pages, the newest first', async () => {
    const { post, id, ids } = await delivering();
    const first = (await post<Page>('deliveries', { id, page_size: 2 })).body;
    const cursor = first.pagination_data.next_cursor;
    const second = (await post<Page>('deliveries', { id, page_size: 2, cursor })).body;
    expect([first, second].map(({ data }) => data.map((delivery) => delivery.id))).toEqual([
      [ids[2], ids[1]],
      [ids[0]],
    ]);
    expect(first.pagination_data).toMatchObject({ previous_cursor: null, total: 3 });
    expect(second.pagination_data).toMatchObject({ next_cursor: null, total: 3 });
  });

  it('gives those of one status', async () => {
    const { post, id, ids } = await delivering();
    const { body } = await post<Page>('deliveries', { id, status: 'delivered' });
    expect(body.data).toMatchObject([{ id: ids[1], status: 'delivered' }]);
    expect((await post<Page>('deliveries', { id, status: 'dead' })).body.data).toEqual([]);
  });

  it.each([
    ['an unknown status', { status: 'lost' }, 'invalid_request'],
    ['a foreign cursor', { cursor: 'x' }, 'invalid_cursor'],
  ])('refuses %s', async (_, fields, code) => {
    const { post, id } = await subscribed();
    expect(refusalOf(await post<Refusal>('deliveries', { id, ...fields }))).toEqual([400, code]);
  });
});

describe('/webhooks.replay', () => {
  it('moves the cursor, or sends one delivery again', async () => {
    const { api, post, id, ids } = await delivering();
    const beginning = api.reader.feed.encodeCursor([0]);
    const moved = await post('replay', { id, after: beginning });
    const again = await post('replay', { id, delivery_id: ids[1] });
    expect([moved.status, moved.body, again.status, again.body]).toEqual([202, null, 202, null]);
    expect(api.sent.map(({ type, body }) => [type, body])).toEqual([
      ['webhook.replay-from', { cursor: [0] }],
      ['webhook.replay-delivery', { deliveryId: ids[1] }],
    ]);
  });

  it.each([
    ['neither a cursor nor a delivery', {}, 'invalid_request'],
    ['both a cursor and a delivery', { after: 'good', delivery_id: unknown }, 'invalid_request'],
    ['an empty cursor', { after: '' }, 'invalid_request'],
    ['a cursor that is none', { after: 'bad' }, 'invalid_cursor'],
  ])('refuses %s', async (_, fields, code) => {
    const { api, post, id } = await subscribed();
    expect(refusalOf(await post<Refusal>('replay', { id, ...fields }))).toEqual([400, code]);
    expect(api.sent.map(({ type }) => type)).toEqual(['webhook.subscribe']);
  });
});
