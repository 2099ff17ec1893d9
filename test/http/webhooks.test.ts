import { afterEach, describe, expect, it } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { Failure } from '#actors/errors.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import { createAuth } from '#src/http/auth.ts';
import { Metrics } from '#src/metrics.ts';
import { operations } from '#src/http/operations.ts';
import { createHttpServer } from '#src/http/server.ts';
import type { Services } from '#src/services.ts';
import { testConfig, testServices } from './_support.ts';

const id = '0192f3a4-5b6c-7d8e-9f01-23456789abcd';
const other = '0192f3a4-5b6c-7d8e-9f01-23456789abce';
const url = 'https://crm.example/events';
const subscription = { id, url, events: ['message.created'], headers: {}, status: 'Subscribed', state: 'idle' };
const end = [41, 42];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

interface Answer {
  status: number;
  body: { code: string; error: string; details: { path: string }[]; data: unknown[]; [field: string]: unknown };
}

/** An API over one subscription, `id`; commands are noted and answer it. */
async function start(options: { enabled?: boolean } = {}) {
  const config = testConfig();
  config.integration.webhook.enabled = options.enabled ?? true;
  const { services } = testServices({ config });
  const sent: { id: string; type: string; body: unknown }[] = [];
  const send = async (_kind: string, actor: string, type: string, body: unknown): Promise<unknown> => {
    sent.push({ id: actor, type, body });
    if (actor === other) throw new Failure('not_found', `There is no webhook subscription ${actor}.`);
    return { subscription };
  };
  const asked: unknown[] = [];
  const webhooks = {
    find: (asking: string) => (asking === id ? subscription : null),
    list: () => [subscription],
  };
  const longReads = {
    webhookDeliveries: async (...question: unknown[]) => {
      asked.push(question);
      return { items: [], before: null, after: [7], total: 9 };
    },
  };
  const feed = {
    end: () => end,
    decodeCursor: (cursor: string) => {
      if (cursor !== 'good') throw new Failure('invalid_cursor', 'The cursor is not one that this hub has given.');
      return [1, 2];
    },
  };
  const attempt = { at: 5, durationMs: 12, status: 204, reason: null, answer: 'thanks' };
  const server = createHttpServer(
    {
      ...services,
      store: { ...services.store, webhooks } as unknown as StoreReader,
      longReads: longReads as unknown as Services['longReads'],
      feed: feed as unknown as Services['feed'],
      commandsFor: () => ({ send: send as CommandSender['send'], redrive: async () => {} }),
      testWebhook: async (asking) => (asking === id ? attempt : null),
    },
    { auth: createAuth(services), metrics: new Metrics(), upgrades: { handleUpgrade: () => false } },
  );
  open.push(server);
  const { url: base } = await server.listen();
  const post = async (verb: string, body: unknown): Promise<Answer> => {
    const response = await fetch(`${base}/webhooks.${verb}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  return { post, sent, asked };
}

const verbs = ['subscribe', 'update', 'unsubscribe', 'list', 'info', 'delete', 'test', 'deliveries', 'replay'];
const withId = {
  update: {},
  unsubscribe: {},
  info: {},
  delete: {},
  test: {},
  deliveries: {},
  replay: { after: 'good' },
};

describe('webhook operations', () => {
  it.each(verbs)('%s answers 409 while the feature is off', async (verb) => {
    const { post, sent } = await start({ enabled: false });
    const { example } = operations.find(({ path }) => path === `/webhooks.${verb}`)!;
    const { status, body } = await post(verb, example);
    expect([status, body.code]).toEqual([409, 'feature_disabled']);
    expect(body.error).toContain('integration.webhook.enabled');
    expect(sent).toEqual([]);
  });

  it.each(Object.entries(withId))('%s of an unknown id answers 404', async (verb, fields) => {
    const { post } = await start();
    const { status, body } = await post(verb, { id: other, ...fields });
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('list and info answer what is stored', async () => {
    const { post } = await start();
    expect((await post('list', {})).body).toEqual({ data: [subscription] });
    expect((await post('info', { id: id.toUpperCase() })).body).toEqual(subscription);
  });

  it('unsubscribe answers the subscription, delete nothing', async () => {
    const { post, sent } = await start();
    expect(await post('unsubscribe', { id })).toEqual({ status: 200, body: subscription });
    expect(await post('delete', { id })).toEqual({ status: 204, body: null });
    expect(sent.map(({ type }) => type)).toEqual(['webhook.unsubscribe', 'webhook.delete']);
  });

  it('test answers what the receiver said', async () => {
    const { post } = await start();
    expect((await post('test', { id })).body).toEqual({ status: 204, duration_ms: 12, body: 'thanks', reason: null });
  });
});

describe('/webhooks.subscribe', () => {
  it('starts a new subscription at the end of the feed', async () => {
    const { post, sent } = await start();
    expect(await post('subscribe', { url })).toEqual({ status: 200, body: subscription });
    expect(sent).toEqual([
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), type: 'webhook.subscribe', body: { url, start: end } },
    ]);
  });

  it('changes the subscription that the id names', async () => {
    const { post, sent } = await start();
    await post('subscribe', { id, url, name: 'CRM' });
    expect(sent).toEqual([{ id, type: 'webhook.update', body: { url, name: 'CRM' } }]);
  });

  it('hands every field on, durations in ms', async () => {
    const { post, sent } = await start();
    const whole = {
      events: ['message.created', 'message.created'],
      headers: { 'X-Team': 'a b' },
      signature_key: 'key',
    };
    await post('update', { id, ...whole, rotation_overlap: 60 });
    await post('update', { id, events: null });
    expect(sent.map(({ body }) => body)).toEqual([
      { events: ['message.created'], headers: { 'X-Team': 'a b' }, signatureKey: 'key', rotationOverlap: 60_000 },
      { events: null },
    ]);
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
    const { post, sent } = await start();
    const { status, body } = await post('subscribe', { url, ...fields });
    expect([status, body.code, body.details[0]?.path]).toEqual([400, 'invalid_request', path]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(sent).toEqual([]);
  });

  it.each(['k', '~'.repeat(255), standardKey(24), standardKey(64)])('takes the key %s', async (signature_key) => {
    const { post, sent } = await start();
    expect((await post('subscribe', { url, signature_key })).status).toBe(200);
    expect(sent).toMatchObject([{ body: { signatureKey: signature_key } }]);
  });
});

describe('/webhooks.deliveries', () => {
  it('asks for one page of one status', async () => {
    const { post, asked } = await start();
    const first = await post('deliveries', { id, status: 'dead', page_size: 2 });
    const { next_cursor } = first.body.pagination_data as { next_cursor: string };
    await post('deliveries', { id, cursor: next_cursor });
    expect(first.body).toMatchObject({ data: [], pagination_data: { previous_cursor: null, total: 9 } });
    expect(asked).toEqual([
      [id, { limit: 2, from: null }, { status: 'dead' }],
      [id, { limit: 20, from: { key: [7], direction: 'after' } }, {}],
    ]);
  });

  it.each([
    ['an unknown status', { status: 'lost' }, 'invalid_request'],
    ['a foreign cursor', { cursor: 'x' }, 'invalid_cursor'],
  ])('refuses %s', async (_, fields, code) => {
    const { post } = await start();
    const { status, body } = await post('deliveries', { id, ...fields });
    expect([status, body.code]).toEqual([400, code]);
  });
});

describe('/webhooks.replay', () => {
  it('moves the cursor, or sends one delivery again', async () => {
    const { post, sent } = await start();
    expect(await post('replay', { id, after: 'good' })).toEqual({ status: 202, body: null });
    expect(await post('replay', { id, delivery_id: other })).toEqual({ status: 202, body: null });
    expect(sent).toEqual([
      { id, type: 'webhook.replay-from', body: { cursor: [1, 2] } },
      { id, type: 'webhook.replay-delivery', body: { deliveryId: other } },
    ]);
  });

  it.each([
    ['neither a cursor nor a delivery', {}, 'invalid_request'],
    ['both a cursor and a delivery', { after: 'good', delivery_id: other }, 'invalid_request'],
    ['an empty cursor', { after: '' }, 'invalid_request'],
    ['a cursor that is none', { after: 'bad' }, 'invalid_cursor'],
  ])('refuses %s', async (_, fields, code) => {
    const { post, sent } = await start();
    const { status, body } = await post('replay', { id, ...fields });
    expect([status, body.code]).toEqual([400, code]);
    expect(sent).toEqual([]);
  });
});
