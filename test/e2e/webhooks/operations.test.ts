import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HubProcess } from '../../_support/hub-process.ts';
import { SourceClient, until } from '../../_support/source-client.ts';
import { literals } from '../../dispatch/ssrf-forms.ts';
import { ReceiverProcess } from './receiver-process.ts';
import { deliveriesOf, eventsOf, ingest, type SampleAnswer, webhooks } from './support.ts';

const key = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const plainKey = 'a-key-of-visible-characters';
let hub: HubProcess;
let source: SourceClient;
let receiver: ReceiverProcess;
let pushed = 0;

beforeAll(async () => {
  hub = await HubProcess.start();
  source = await SourceClient.register(hub, 'shop');
  receiver = await ReceiverProcess.start(key);
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

/** Pushes messages over four conversations. */
async function push(count: number): Promise<void> {
  expect((await ingest(source, pushed, pushed + count, 4)).status).toBe(200);
  pushed += count;
}

const received = (path: string, from = receiver) => from.receipts(path).filter(({ answered }) => answered === 200);

async function receivedOf(path: string, count: number): Promise<void> {
  await until(`${count} deliveries at ${path}`, () => received(path).length >= count);
}

describe('deliveries', () => {
  test('carry every event, signed, from the subscription on', async () => {
    await push(4);
    const before = await eventsOf(hub, 'message.created');
    const { id } = await webhooks(hub, 'subscribe', {
      url: receiver.url('/all'),
      headers: { 'X-Team': 'support' },
      signature_key: key,
    });
    await push(20);
    const after = (await eventsOf(hub, 'message.created')).slice(before.length);
    expect(after.length).toBe(20);
    const arrived = (wanted: string): number => received('/all').filter(({ type }) => type === wanted).length;
    await until('every event', () => arrived('message.created') === 20 && arrived('conversation.updated') >= 4);
    const receipts = received('/all');
    expect(receipts.filter(({ standard, hmac }) => !standard || !hmac)).toEqual([]);
    expect(new Set(receipts.map(({ userAgent }) => userAgent.split('/')[0]))).toEqual(new Set(['parley']));
    expect(new Set(receipts.map(({ contentType, team }) => `${contentType} ${team}`))).toEqual(
      new Set(['application/json support']),
    );
    const names = (list: { seq: number }[]): string[] => list.map((entry) => JSON.stringify(entry)).sort();
    const ofMessages = receipts.filter(({ type }) => type === 'message.created');
    expect(names(ofMessages.map(({ subject, seq }) => ({ subject, seq })))).toEqual(
      names(after.map(({ payload, seq }) => ({ subject: payload['conversation_id'], seq }))),
    );
    expect(new Set(receipts.map(({ type }) => type))).toEqual(new Set(['message.created', 'conversation.updated']));
    await webhooks(hub, 'delete', { id });
  });

  test('are signed with both keys while a key is rotated', async () => {
    await using old = await ReceiverProcess.start(plainKey);
    const fields = { url: old.url('/rotated'), events: ['message.created'], signature_key: plainKey };
    const { id } = await webhooks(hub, 'subscribe', fields);
    await webhooks(hub, 'update', { id, signature_key: key, rotation_overlap: 3_600 });
    await push(4);
    await until('deliveries during the overlap', () => received('/rotated', old).length === 4);
    // The receiver still verifies with the key before; the plain header is of the new one.
    expect(old.receipts().map(({ standard, hmac }) => [standard, hmac])).toEqual(Array(4).fill([true, false]));
    await webhooks(hub, 'update', { id, signature_key: `${key}`, url: receiver.url('/rotated') });
    await push(4);
    await receivedOf('/rotated', 4);
    expect(received('/rotated').map(({ standard, hmac }) => [standard, hmac])).toEqual(Array(4).fill([true, true]));
    await webhooks(hub, 'delete', { id });
  });

  test('stop while unsubscribed, and go on as they are told', async () => {
    const { id } = await webhooks(hub, 'subscribe', {
      url: receiver.url('/paused'),
      events: ['message.created'],
      signature_key: key,
    });
    await push(4);
    await receivedOf('/paused', 4);
    expect(await webhooks(hub, 'unsubscribe', { id })).toMatchObject({ id, status: 'Unsubscribed' });
    await push(8);
    expect(await webhooks(hub, 'info', { id })).toMatchObject({ status: 'Unsubscribed' });
    expect(received('/paused').length).toBe(4);
    await webhooks(hub, 'subscribe', { id, url: receiver.url('/paused'), resume: true });
    await receivedOf('/paused', 12);
    await webhooks(hub, 'unsubscribe', { id });
    await push(8);
    await webhooks(hub, 'subscribe', { id, url: receiver.url('/paused') });
    await push(4);
    await receivedOf('/paused', 16);
    expect(new Set(received('/paused').map((receipt) => receipt.id)).size).toBe(16);
    const newest = (await eventsOf(hub, 'message.created')).slice(-4).map(({ cursor }) => cursor);
    expect(
      received('/paused')
        .slice(-4)
        .map(({ cursor }) => cursor)
        .sort(),
    ).toEqual(newest.sort());
    await webhooks(hub, 'delete', { id });
  });
});

describe('/webhooks.replay', () => {
  test('sends again from a cursor, and one delivery', async () => {
    const fields = { url: receiver.url('/again'), events: ['message.created'], signature_key: key };
    const { id } = await webhooks(hub, 'subscribe', fields);
    await push(12);
    await receivedOf('/again', 12);
    const first = received('/again');
    const events = (await eventsOf(hub, 'message.created')).slice(-12);
    await webhooks(hub, 'replay', { id, after: events[3]!.cursor });
    await receivedOf('/again', 12 + 8);
    const again = received('/again').slice(12);
    expect(again.filter((receipt) => !first.some(({ id: known }) => known === receipt.id))).toEqual([]);
    await until('all recorded', async () => (await deliveriesOf(hub, id, 'delivered')).length === 12);
    await webhooks(hub, 'replay', { id, delivery_id: first[0]!.id });
    await receivedOf('/again', 12 + 8 + 1);
    expect(received('/again').at(-1)).toMatchObject({ id: first[0]!.id, seq: first[0]!.seq, standard: true });
    await webhooks(hub, 'delete', { id });
  });

  test('of an unknown delivery answers 404', async () => {
    const { id } = await webhooks(hub, 'subscribe', { url: receiver.url('/none') });
    const answer = await hub.post<{ code: string }>('/webhooks.replay', { id, delivery_id: id });
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    await webhooks(hub, 'delete', { id });
  });
});

describe('/webhooks.test', () => {
  test('reports what the receiver said', async () => {
    await receiver.behave('/said', { kind: 'status', status: 418, body: `short and stout${'.'.repeat(2_000)}` });
    const { id } = await webhooks(hub, 'subscribe', { url: receiver.url('/said'), signature_key: key });
    const answer = await webhooks<SampleAnswer>(hub, 'test', { id });
    expect(answer).toMatchObject({ status: 418, reason: null, body: expect.stringMatching(/^short and stout\.+$/) });
    expect(answer.body.length).toBe(1024);
    expect(receiver.receipts('/said')).toMatchObject([{ type: 'message.created', seq: 0, standard: true, hmac: true }]);
    await webhooks(hub, 'update', { id, url: 'http://127.0.0.1:9/' });
    expect(await webhooks<SampleAnswer>(hub, 'test', { id })).toMatchObject({ status: null, reason: 'connection' });
    await webhooks(hub, 'delete', { id });
  });

  test('refuses every form of an inner address alike', { timeout: 60_000 }, async () => {
    await using closed = await HubProcess.start({ env: { PARLEY_OUTGOING_ALLOW_NETWORKS: '203.0.113.128/25' } });
    const port = new URL(receiver.url('/')).port;
    const { id } = await webhooks(closed, 'subscribe', { url: 'https://example.com/', signature_key: key });
    const answers = new Set<string>();
    for (const host of [...literals, 'localhost', 'LOCALHOST']) {
      await webhooks(closed, 'update', { id, url: `http://${host}:${port}/inner` });
      answers.add(JSON.stringify(await webhooks<SampleAnswer>(closed, 'test', { id })));
    }
    expect(literals.length).toBeGreaterThanOrEqual(100);
    expect([...answers]).toEqual([
      JSON.stringify({ status: null, duration_ms: 0, body: '', reason: 'address_not_allowed' }),
    ]);
    expect(receiver.receipts('/inner')).toEqual([]);
  });
});
