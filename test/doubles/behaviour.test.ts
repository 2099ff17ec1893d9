import { expect, test } from 'vitest';
import { TokenBucket } from '#src/doubles/behaviour.ts';
import { doubleOf } from './support.ts';

type Double = Awaited<ReturnType<typeof doubleOf>>;

const contact = '4915550004001';

/** Sends a message as the hub does. */
const send = (double: Double, body: string, init: RequestInit = {}) =>
  double.call(`/v23.0/${double.account}/messages`, {
    ...double.asJson(
      { messaging_product: 'whatsapp', to: contact, type: 'text', text: { body } },
      { Authorization: `Bearer ${double.connect.body['user_token']}` },
    ),
    ...init,
  });

/** Whose contact has written, so that it can be answered. */
async function open(behaviour: object = {}) {
  const double = await doubleOf('cloudmsg');
  await double.control('message', { text: 'Hello' });
  await double.control('behave', behaviour);
  return double;
}

const statusesOf = (double: Double, from: number): string[] =>
  double.hub.arrived.slice(from).map(({ body }) => JSON.parse(body).entry[0].changes[0].value.statuses[0].status);

test('duplicates are the same webhook twice', async () => {
  const double = await doubleOf('cloudmsg', { behaviour: { duplicates: true } });
  await double.control('message', { text: 'Hello' });
  const [one, other] = await double.hub.until(2);
  expect(other).toMatchObject({ url: one!.url, body: one!.body });
});

test('reordered reports come the other way round', async () => {
  const double = await open({ reorder: true });
  await send(double, 'Hi');
  await double.hub.until(4);
  expect(statusesOf(double, 1)).toEqual(['read', 'delivered', 'sent']);
});

test('a share of messages is refused, evenly', async () => {
  const double = await open({ fail: 0.25 });
  const statuses = [];
  for (let n = 0; n < 8; n += 1) statuses.push((await send(double, String(n))).status);
  expect(statuses).toEqual([200, 200, 200, 400, 200, 200, 200, 400]);
});

test('more than so many a second are throttled', async () => {
  const double = await open({ throttle: 2 });
  const answers = await Promise.all(['1', '2', '3', '4'].map((text) => send(double, text)));
  const codes = answers.map(({ body }) => body.error?.code ?? 200);
  expect(codes.filter((code) => code === 200)).toHaveLength(2);
  expect(codes.filter((code) => code === 130429)).toHaveLength(2);
});

test('a message that hangs is never answered, nor taken', async () => {
  const double = await open({ hang: 1 });
  await expect(send(double, 'Hi', { signal: AbortSignal.timeout(200) })).rejects.toThrow('aborted');
  expect((await double.control('sent')).data).toEqual([]);
  expect((await double.control('calls')).data).toMatchObject([{ method: 'POST', status: null }]);
  await double.control('behave', { hang: 0 });
  expect((await send(double, 'Hi')).status).toBe(200);
});

test('the next answers can be dictated', async () => {
  const double = await open({ answers: [{ status: 503, body: 'Away', headers: { 'Retry-After': '1' } }] });
  expect(await send(double, 'Hi')).toEqual({ status: 503, body: 'Away' });
  expect((await send(double, 'Hi')).status).toBe(200);
});

test('late reports wait for their time', async () => {
  const double = await open({ lateReceipts: 150 });
  const before = performance.now();
  await send(double, 'Hi');
  await double.hub.until(2);
  expect(performance.now() - before).toBeGreaterThanOrEqual(145);
});

test('a webhook that is not taken comes again', async () => {
  const double = await doubleOf('cloudmsg', { answers: [503] });
  const { webhook } = await double.control('message', { text: 'Hello' });
  expect(webhook.status).toBe(503);
  const [first, second] = await double.hub.until(2);
  expect(second!.body).toBe(first!.body);
});

test('a refused text message is lost', async () => {
  const double = await doubleOf('telco.sms', { answers: [503] });
  await double.control('message', { text: 'lost' });
  await double.control('message', { text: 'kept' });
  const { data } = await double.control('webhooks');
  expect(data).toMatchObject([
    { tries: 1, last: { status: 503 } },
    { tries: 1, last: { status: 200 } },
  ]);
});

test('any body of the platform can be sent, signed', async () => {
  const double = await doubleOf('cloudmsg');
  await double.control('webhook', { body: { object: 'unheard of' } });
  const [{ headers, body }] = (await double.hub.until(1)) as [(typeof double.hub.arrived)[0]];
  expect(JSON.parse(body)).toEqual({ object: 'unheard of' });
  expect(headers['x-hub-signature-256']).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test.each([
  ['an unknown field', 'message', { txt: 'x' }, 400, 'txt'],
  ['a share above one', 'behave', { fail: 2 }, 400, 'fail'],
  ['a report of an unknown message', 'report', { id: 'nobody', report: 'read' }, 409, '/_control/sent'],
  ['an unknown account', 'message', { to: '1' }, 409, 'phone number id'],
  ['an unknown address', 'sing', {}, 404, '/_control/message'],
])('control says what is wrong with %s', async (_, path, body, status, words) => {
  const double = await doubleOf('cloudmsg');
  const answer = await double.call(`/_control/${path}`, double.asJson(body));
  expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(words) } });
});

test('pages of other origins control nothing', async () => {
  const double = await doubleOf('cloudmsg');
  const answer = await double.call(
    '/_control/message',
    double.asJson({ text: 'x' }, { Origin: 'https://evil.example' }),
  );
  expect(answer.status).toBe(403);
  expect(double.hub.arrived).toEqual([]);
});

test('a bucket fills again as time goes by', () => {
  let now = 0;
  const bucket = new TokenBucket(2, 3, () => now);
  expect([1, 2, 3, 4].map(() => bucket.take())).toEqual([true, true, true, false]);
  now = 500;
  expect([bucket.take(), bucket.take()]).toEqual([true, false]);
});
