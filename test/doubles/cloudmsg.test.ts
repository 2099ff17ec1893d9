import { verify } from '@octokit/webhooks-methods';
import { expect, test } from 'vitest';
import { doubleOf } from './support.ts';

type Double = Awaited<ReturnType<typeof doubleOf>>;

const contact = '4915550004001';
const whatsapp = { messaging_product: 'whatsapp', recipient_type: 'individual' };

const tokenOf = (double: Double): Record<string, string> => ({
  Authorization: `Bearer ${double.connect.body['user_token']}`,
});

const send = (double: Double, body: object, headers = tokenOf(double)) =>
  double.call(`/v23.0/${double.account}/messages`, double.asJson({ ...whatsapp, ...body }, headers));

const text = (body = 'Hi') => ({ to: contact, type: 'text', text: { body } });

const changeIn = ({ body }: { body: string }) => JSON.parse(body).entry[0].changes[0].value;

test('a contact writes, signed with the secret of the app', async () => {
  const double = await doubleOf('cloudmsg');
  const { id } = await double.control('message', { name: 'Ada', text: 'Grüße' });
  const [{ url, body, headers }] = (await double.hub.until(1)) as [(typeof double.hub.arrived)[0]];
  expect(url).toBe('/cloudmsg');
  expect(await verify(double.configuration['appSecret']!, body, String(headers['x-hub-signature-256']))).toBe(true);
  expect(changeIn({ body })).toMatchObject({
    metadata: { phone_number_id: double.account },
    contacts: [{ profile: { name: 'Ada' }, wa_id: contact }],
    messages: [{ id, from: contact, timestamp: expect.stringMatching(/^\d{10}$/), text: { body: 'Grüße' } }],
  });
});

test('a message is sent, delivered and read', async () => {
  const double = await doubleOf('cloudmsg');
  await double.control('message', { text: 'Hello' });
  const answer = await send(double, text());
  expect(answer).toMatchObject({ status: 200, body: { contacts: [{ wa_id: contact }] } });
  const [{ id }] = answer.body.messages;
  const statuses = (await double.hub.until(4)).slice(1).map((webhook) => changeIn(webhook).statuses[0]);
  expect(statuses.map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
  for (const status of statuses) expect(status).toMatchObject({ id, recipient_id: contact });
});

test('a report of a failure has its reason', async () => {
  const double = await doubleOf('cloudmsg');
  await double.control('message', { text: 'Hello' });
  const { id } = (await send(double, text())).body.messages[0];
  await double.control('report', { id, report: 'failed' });
  const failed = (await double.hub.until(2)).map((webhook) => changeIn(webhook).statuses?.[0]);
  expect(failed.find((status) => status?.status === 'failed')).toMatchObject({ errors: [{ code: 131026 }] });
});

test('without a word in the last day only templates go out', async () => {
  const double = await doubleOf('cloudmsg');
  expect(await send(double, text())).toMatchObject({ status: 400, body: { error: { code: 131047 } } });
  const template = { name: 'hello_world', language: { code: 'en_US' } };
  expect((await send(double, { to: `+${contact}`, type: 'template', template })).status).toBe(200);
});

test('46 messages at once are too many for one contact', async () => {
  const double = await doubleOf('cloudmsg');
  await double.control('message', { text: 'Hello' });
  const answers = [];
  for (let n = 0; n < 46; n += 1) answers.push(await send(double, text(String(n))));
  expect(answers.slice(0, 45).every(({ status }) => status === 200)).toBe(true);
  expect(answers[45]).toMatchObject({ status: 400, body: { error: { code: 131056 } } });
});

test.each([
  ['a wrong token', text(), 401, 190, { Authorization: 'Bearer EAAwrong' }],
  ['no product', { ...text(), messaging_product: 'letters' }, 400, 100, null],
  ['no recipient', { type: 'text', text: { body: 'x' } }, 400, 100, null],
  ['an unknown type', { to: contact, type: 'smell' }, 400, 100, null],
  ['no content', { to: contact, type: 'text' }, 400, 100, null],
])('refuses a message with %s', async (_, body, status, code, headers) => {
  const double = await doubleOf('cloudmsg');
  const answer = await send(double, body, headers ?? tokenOf(double));
  expect(answer).toMatchObject({ status, body: { error: { code, type: 'OAuthException' } } });
});

test('a number can be read, and what was read is marked', async () => {
  const double = await doubleOf('cloudmsg');
  const fields = 'id,display_phone_number,verified_name';
  const number = await double.call(`/v23.0/${double.account}?fields=${fields}`, { headers: tokenOf(double) });
  expect(number.body).toEqual({ id: double.account, display_phone_number: '15550003001', verified_name: 'Lamp shop' });
  expect((await send(double, { status: 'read', message_id: 'wamid.1' })).body).toEqual({ success: true });
  expect((await double.control('sent')).data).toEqual([]);
  const unknown = await double.call('/v23.0/123', { headers: tokenOf(double) });
  expect(unknown).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
});

test('a file has an address that needs the token', async () => {
  const double = await doubleOf('cloudmsg');
  const headers = tokenOf(double);
  const { body } = await double.call('/v23.0/400000000000001', { headers });
  expect(body).toMatchObject({ mime_type: 'image/png', file_size: expect.any(Number) });
  expect((await double.call(body.url)).status).toBe(401);
  expect((await double.call(body.url, { headers })).status).toBe(200);
});

test('the handshake asks for the verify token', async () => {
  const double = await doubleOf('cloudmsg');
  expect(await double.control('handshake', {})).toEqual({ status: 200, accepted: true });
});
