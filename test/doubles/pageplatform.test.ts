import { createHmac } from 'node:crypto';
import { verify } from '@octokit/webhooks-methods';
import { expect, test } from 'vitest';
import { type Arrived, doubleOf } from './support.ts';

type Double = Awaited<ReturnType<typeof doubleOf>>;

const contact = '7000000000000001';

const proofOf = (double: Double, token: string): string =>
  createHmac('sha256', double.configuration['appSecret']!).update(token).digest('hex');

/** A path of the API with the token and its proof. */
const path = (double: Double, rest: string, token: string): string => {
  const query = new URLSearchParams({ access_token: token, appsecret_proof: proofOf(double, token) });
  return `/v23.0${rest}${rest.includes('?') ? '&' : '?'}${query}`;
};

async function pageToken(double: Double): Promise<string> {
  const { page_id, page_token } = double.connect.body;
  const { body } = await double.call(path(double, `/${page_id}?fields=id,access_token`, page_token!));
  return body.access_token;
}

const fields = 'messages,message_echoes,message_deliveries,message_reads';

/** The page is subscribed, a contact has written. @returns the token of the page */
async function connected(source = 'pageplatform', subscribed_fields = fields) {
  const double = await doubleOf(source);
  const token = await pageToken(double);
  const subscribe = `/${double.connect.body['page_id']}/subscribed_apps?subscribed_fields=${subscribed_fields}`;
  const answer = await double.call(path(double, subscribe, token), { method: 'POST' });
  expect(answer).toEqual({ status: 200, body: { success: true } });
  await double.control('message', { text: 'Hello' });
  return { double, token };
}

const send = (double: Double, token: string, body: object) =>
  double.call(path(double, '/me/messages', token), double.asJson(body));

const textTo = (id: string, text = 'Hi') => ({ recipient: { id }, message: { text } });

const eventOf = ({ body }: Arrived) => JSON.parse(body).entry[0].messaging[0];

test('a token is exchanged for one that lives longer', async () => {
  const double = await doubleOf('pageplatform');
  const { appId, appSecret } = double.configuration as Record<string, string>;
  const exchange = (changed: Record<string, string>) =>
    double.call(
      `/v23.0/oauth/access_token?${new URLSearchParams({
        ...{ grant_type: 'fb_exchange_token', client_id: appId!, client_secret: appSecret! },
        ...{ fb_exchange_token: double.connect.body['page_token']!, ...changed },
      })}`,
    );
  const answer = await exchange({});
  expect(answer).toMatchObject({ status: 200, body: { token_type: 'bearer', expires_in: expect.any(Number) } });
  const read = await double.call(path(double, `/${double.account}`, answer.body.access_token));
  expect(read.body).toEqual({ id: double.account, name: 'Lamp shop' });
  for (const [key, code] of [
    ['client_id', 101],
    ['client_secret', 1],
    ['fb_exchange_token', 190],
    ['grant_type', 1],
  ] as const) {
    expect(await exchange({ [key]: 'wrong' }), key).toMatchObject({ status: 400, body: { error: { code } } });
  }
});

test('pages are listed in parts, as the next address says', async () => {
  const double = await doubleOf('pageplatform');
  const token = double.connect.body['page_token']!;
  const first = await double.call(path(double, '/me/accounts?fields=name,picture{url}', token));
  expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['Lamp shop', 'Book shop']);
  expect(first.body.data[0].picture.data.url).toMatch(/^http/);
  const { next } = first.body.paging;
  expect(next).toContain(token);
  expect((await double.call(next)).body.error.message).toContain('require an appsecret_proof');
  const second = await double.call(`${next}&appsecret_proof=${proofOf(double, token)}`);
  expect(second.body).toMatchObject({ data: [{ name: 'Flower shop' }] });
  expect(second.body.paging.next).toBeUndefined();
});

test.each([
  ['no token', { access_token: '' }, 2500],
  ['a wrong token', { access_token: 'EAAwrong' }, 190],
  ['no proof', { appsecret_proof: '' }, 100],
  ['a wrong proof', { appsecret_proof: '0'.repeat(64) }, 100],
])('refuses a call with %s', async (_, changed, code) => {
  const double = await doubleOf('pageplatform');
  const token = double.connect.body['page_token']!;
  const query = { access_token: token, appsecret_proof: proofOf(double, token), ...changed };
  const answer = await double.call(`/v23.0/${double.account}?${new URLSearchParams(query as Record<string, string>)}`);
  expect(answer).toMatchObject({ status: 400, body: { error: { code, fbtrace_id: expect.any(String) } } });
});

test('a message is sent, and reported as far as subscribed', async () => {
  const { double, token } = await connected();
  const answer = await send(double, token, textTo(contact, 'Grüße/😀'));
  expect(answer).toEqual({ status: 200, body: { recipient_id: contact, message_id: expect.any(String) } });
  const mid = answer.body.message_id;
  const [, echo, delivery, read] = await double.hub.until(4);
  const page = { id: double.account };
  expect(eventOf(echo!)).toMatchObject({ sender: page, message: { mid, is_echo: true, text: 'Grüße/😀' } });
  expect(eventOf(delivery!)).toMatchObject({ recipient: page, delivery: { mids: [mid] } });
  expect(eventOf(read!)).toMatchObject({ sender: { id: contact }, read: { watermark: expect.any(Number) } });
});

test('webhooks are signed in the form with escapes', async () => {
  const { double, token } = await connected();
  await send(double, token, textTo(contact, 'Grüße/😀'));
  const [, { headers, body }] = (await double.hub.until(2)) as [Arrived, Arrived];
  expect(body).toContain('Gr\\u00fc\\u00dfe\\/\\ud83d\\ude00');
  const signature = String(headers['x-hub-signature-256']);
  expect(await verify(double.configuration['appSecret']!, body, signature)).toBe(true);
  expect(await verify('another secret', body, signature)).toBe(false);
});

test('nothing is reported that a page has not subscribed to', async () => {
  const { double, token } = await connected('pageplatform', 'messages,message_reads');
  await send(double, token, textTo(contact));
  const events = (await double.hub.until(2)).map(eventOf);
  expect(events[1]).toHaveProperty('read');
});

test('a page that is not subscribed hears nothing', async () => {
  const { double, token } = await connected();
  const edge = path(double, `/${double.account}/subscribed_apps`, token);
  expect((await double.call(edge)).body.data).toMatchObject([{ subscribed_fields: fields.split(',') }]);
  expect((await double.call(edge, { method: 'DELETE' })).body).toEqual({ success: true });
  expect((await double.call(edge)).body.data).toEqual([]);
  const refused = await double.call('/_control/message', double.asJson({ text: 'Anybody?' }));
  expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('not subscribed') } });
});

test.each([
  ['an unknown recipient', textTo('1'), 100, 2018001],
  ['no recipient', { message: { text: 'x' } }, 100, undefined],
  ['an empty message', { recipient: { id: contact }, message: {} }, 100, 2018005],
  ['an unknown action', { recipient: { id: contact }, sender_action: 'sing' }, 100, undefined],
])('refuses %s', async (_, body, code, error_subcode) => {
  const { double, token } = await connected();
  const answer = await send(double, token, body);
  expect(answer).toMatchObject({ status: 400, body: { error: { code, type: 'OAuthException' } } });
  expect(answer.body.error.error_subcode).toBe(error_subcode);
});

test('after a day only messages with a tag are taken', async () => {
  const { double, token } = await connected();
  await double.control('message', { text: 'Long ago', sent_at: Date.now() - 25 * 3_600_000 });
  expect(await send(double, token, textTo(contact))).toMatchObject({ body: { error: { code: 10 } } });
  const tagged = { ...textTo(contact), messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' };
  expect((await send(double, token, tagged)).status).toBe(200);
});

test('actions are taken, and are no messages', async () => {
  const { double, token } = await connected();
  for (const sender_action of ['mark_seen', 'typing_on', 'typing_off']) {
    const answer = await send(double, token, { recipient: { id: contact }, sender_action });
    expect(answer).toEqual({ status: 200, body: { recipient_id: contact } });
  }
  expect((await double.control('sent')).data).toEqual([]);
});

test('a contact has a profile for the page', async () => {
  const { double, token } = await connected();
  const of = (fieldNames: string) => double.call(path(double, `/${contact}?fields=${fieldNames}`, token));
  expect((await of('first_name,last_name,profile_pic')).body).toMatchObject({
    ...{ first_name: 'Ada', last_name: 'Lovelace', profile_pic: expect.stringMatching(/^http/) },
  });
  expect((await of('shoe_size')).body.error.message).toContain('nonexisting field (shoe_size)');
});

test('the photo account of a page has its own conversations', async () => {
  const { double, token } = await connected('photoplatform');
  const [{ url, body }] = (await double.hub.until(1)) as [Arrived];
  expect(url).toBe('/photoplatform');
  expect(JSON.parse(body)).toMatchObject({ object: 'instagram', entry: [{ id: double.account }] });
  const { message_id } = (await send(double, token, textTo(contact))).body;
  const events = (await double.hub.until(3)).map(eventOf);
  expect(events[1]).toMatchObject({ sender: { id: double.account }, message: { mid: message_id, is_echo: true } });
  expect(events[2]).toMatchObject({ read: { mid: message_id } });
  const profile = await double.call(path(double, `/${contact}?fields=name,profile_pic`, token));
  expect(profile.body).toMatchObject({ name: 'Ada Lovelace' });
  const account = await double.call(path(double, `/${double.account}?fields=username`, token));
  expect(account.body).toEqual({ id: double.account, username: 'lampshop' });
});

test('the handshake asks for the verify token', async () => {
  const double = await doubleOf('pageplatform');
  expect(await double.control('handshake', {})).toEqual({ status: 200, accepted: true });
  const { searchParams, pathname } = new URL(double.hub.arrived[0]!.url, double.hub.url);
  expect(pathname).toBe('/pageplatform');
  expect(searchParams.get('hub.mode')).toBe('subscribe');
  expect(searchParams.get('hub.verify_token')).toBe(double.configuration['webhookSecret']);
});
