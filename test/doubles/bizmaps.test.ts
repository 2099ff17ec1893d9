import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT, importPKCS8 } from 'jose';
import { expect, test } from 'vitest';
import { doubleOf } from './support.ts';

type Double = Awaited<ReturnType<typeof doubleOf>>;
type Claims = Partial<Record<'iss' | 'aud' | 'scope', string>> & { seconds?: number; key?: KeyObject };

const conversation = 'conversation-1';
const scope = 'https://www.googleapis.com/auth/businessmessages';

async function grant(double: Double, claims: Claims = {}) {
  const { client_email, private_key, token_uri } = JSON.parse(double.configuration['saFile']!);
  const {
    iss = client_email,
    aud = token_uri,
    seconds = 3_600,
    key = await importPKCS8(private_key, 'RS256'),
  } = claims;
  const now = Math.floor(Date.now() / 1_000);
  const assertion = await new SignJWT({ scope: claims.scope ?? scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(iss)
    .setAudience(aud)
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(key);
  return double.call(token_uri, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
  });
}

const bearer = async (double: Double) => ({ Authorization: `Bearer ${(await grant(double)).body.access_token}` });

const messagesOf = (id: string): string => `/v1/conversations/${id}/messages`;
const message = { messageId: 'm-1', representative: { representativeType: 'HUMAN' }, text: 'Hi' };

test('a grant of the service account gives a token', async () => {
  const double = await doubleOf('bizmaps');
  expect(await grant(double)).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3_599 } });
});

test.each<[string, Claims, string]>([
  ['another key', { key: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey }, 'invalid_grant'],
  ['another account', { iss: 'somebody@example.com' }, 'invalid_grant'],
  ['another audience', { aud: 'https://elsewhere.example/token' }, 'invalid_grant'],
  ['a time that is over', { seconds: -60 }, 'invalid_grant'],
  ['a time that is too long', { seconds: 7_200 }, 'invalid_grant'],
  ['another scope', { scope: 'openid' }, 'invalid_scope'],
])('a grant with %s is refused', async (_, claims, error) => {
  const double = await doubleOf('bizmaps');
  expect(await grant(double, claims)).toMatchObject({ status: 400, body: { error } });
});

test('a contact writes, signed with the partner key', async () => {
  const double = await doubleOf('bizmaps');
  const { id } = await double.control('message', { name: 'Ada', text: 'Grüße' });
  const [{ url, headers, body }] = (await double.hub.until(1)) as [(typeof double.hub.arrived)[0]];
  expect(url).toBe('/bizmaps');
  const wanted = createHmac('sha512', double.configuration['partnerKey']!).update(body).digest('base64');
  expect(headers['x-goog-signature']).toBe(wanted);
  expect(JSON.parse(body)).toMatchObject({
    ...{ agent: expect.stringMatching(/agents\//), conversationId: conversation },
    ...{ message: { messageId: id, text: 'Grüße' }, context: { userInfo: { displayName: 'Ada' } } },
  });
});

test('a message is sent once, delivered and read', async () => {
  const double = await doubleOf('bizmaps');
  const headers = await bearer(double);
  await double.control('message', { text: 'Hello' });
  const send = () => double.call(messagesOf(conversation), double.asJson(message, headers));
  const name = `conversations/${conversation}/messages/m-1`;
  expect(await send()).toMatchObject({ status: 200, body: { name, text: 'Hi' } });
  const receipts = (await double.hub.until(3)).slice(1).map(({ body }) => JSON.parse(body).receipts.receipts[0]);
  expect(receipts).toEqual([
    { message: name, receiptType: 'DELIVERED' },
    { message: name, receiptType: 'READ' },
  ]);
  expect(await send()).toMatchObject({ status: 409, body: { error: { status: 'ALREADY_EXISTS' } } });
});

test.each([
  ['no author', { messageId: 'm', text: 'x' }, 400, 'INVALID_ARGUMENT'],
  ['no id', { ...message, messageId: '' }, 400, 'INVALID_ARGUMENT'],
  ['no content', { messageId: 'm', representative: message.representative }, 400, 'INVALID_ARGUMENT'],
])('refuses a message with %s', async (_, body, code, status) => {
  const double = await doubleOf('bizmaps');
  await double.control('message', { text: 'Hello' });
  const answer = await double.call(messagesOf(conversation), double.asJson(body, await bearer(double)));
  expect(answer).toMatchObject({ status: code, body: { error: { code, status, message: expect.any(String) } } });
});

test('an unknown conversation and a wrong token are refused', async () => {
  const double = await doubleOf('bizmaps');
  const to = async (headers: Record<string, string>) =>
    double.call(messagesOf('nobody'), double.asJson(message, headers));
  expect(await to(await bearer(double))).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } });
  expect(await to({ Authorization: 'Bearer ya29.wrong' })).toMatchObject({
    ...{ status: 401, body: { error: { status: 'UNAUTHENTICATED' } } },
  });
});

test('events and receipts of the business are taken', async () => {
  const double = await doubleOf('bizmaps');
  const headers = await bearer(double);
  await double.control('message', { text: 'Hello' });
  const event = (eventType: string) =>
    double.call(`/v1/conversations/${conversation}/events?eventId=e-1`, double.asJson({ eventType }, headers));
  expect((await event('TYPING_STARTED')).status).toBe(200);
  expect((await event('SINGING')).status).toBe(400);
  const receipt = await double.call(`${messagesOf(conversation)}/m/receipt`, {
    ...double.asJson({ receiptType: 'READ' }, headers),
    method: 'PATCH',
  });
  expect(receipt.status).toBe(200);
});

test('the handshake gives a secret that comes back', async () => {
  const double = await doubleOf('bizmaps');
  expect(await double.control('handshake', {})).toEqual({ status: 200, accepted: true });
  expect(JSON.parse(double.hub.arrived[0]!.body)).toEqual({
    ...{ clientToken: double.configuration['partnerKey'], secret: expect.stringMatching(/^\d+$/) },
  });
});
