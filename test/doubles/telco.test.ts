import twilio from 'twilio';
import { expect, test } from 'vitest';
import { doubleOf } from './support.ts';

type Double = Awaited<ReturnType<typeof doubleOf>>;

const contact = '+15550002001';

/** Sends as the hub does, with raw HTTP. */
function send(double: Double, fields: Record<string, string>, token = double.configuration['authToken']!) {
  const { accountSid = '' } = double.configuration;
  return double.call(`/2010-04-01/Accounts/${accountSid}/Messages.json`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${accountSid}:${token}`)}` },
    body: new URLSearchParams(fields),
  });
}

const fieldsOf = (body: string): Record<string, string> => Object.fromEntries(new URLSearchParams(body));

test('a message is sent, with the states that were asked for', async () => {
  const double = await doubleOf('telco.sms');
  const StatusCallback = `${double.hub.url}/telco?of=1`;
  const answer = await send(double, { To: contact, From: double.account, Body: 'Grüße', StatusCallback });
  expect(answer).toMatchObject({ status: 201, body: { status: 'queued', to: contact, error_code: null } });
  const { sid } = answer.body;
  expect(sid).toMatch(/^SM[0-9a-f]{32}$/);
  const reports = await double.hub.until(2);
  expect(reports.map(({ url }) => url)).toEqual(['/telco?of=1', '/telco?of=1']);
  expect(reports.map(({ body }) => fieldsOf(body)['MessageStatus'])).toEqual(['sent', 'delivered']);
  for (const { headers, body } of reports) {
    const signature = String(headers['x-twilio-signature']);
    const token = double.configuration['authToken']!;
    expect(twilio.validateRequest(token, signature, StatusCallback, fieldsOf(body))).toBe(true);
    expect(fieldsOf(body)).toMatchObject({ MessageSid: sid, From: double.account, To: contact });
  }
  const { data } = await double.control('sent');
  expect(data).toMatchObject([{ id: sid, content: { Body: 'Grüße' } }]);
});

test('without a callback nothing is reported', async () => {
  const double = await doubleOf('telco.sms');
  const { body } = await send(double, { To: contact, From: double.account, Body: 'Hello' });
  const refused = await double.call('/_control/report', double.asJson({ id: body.sid, report: 'sent' }));
  expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('did not ask') } });
  expect(double.hub.arrived).toEqual([]);
});

test('a contact writes, signed for the public address', async () => {
  const double = await doubleOf('telco.sms', { publicUrl: 'https://hub.example' });
  const { id, webhook } = await double.control('message', { text: 'Hello & goodbye' });
  expect(webhook.status).toBe(200);
  const [{ url, headers, body }] = (await double.hub.until(1)) as [{ url: string; headers: object; body: string }];
  expect(url).toBe('/telco');
  const fields = fieldsOf(body);
  expect(fields).toMatchObject({ MessageSid: id, From: contact, To: double.account, Body: 'Hello & goodbye' });
  const { 'x-twilio-signature': signature } = headers as Record<string, string>;
  const check = (address: string) =>
    twilio.validateRequest(double.configuration['authToken']!, signature!, address, fields);
  expect(check('https://hub.example/telco')).toBe(true);
  expect(check(`${double.hub.url}/telco`)).toBe(false);
});

test('chat addresses have their prefix, however they come', async () => {
  const double = await doubleOf('telco.cloudmsg');
  await double.control('message', { from: contact, name: 'Ada', text: 'a' });
  await double.control('message', { from: `whatsapp:${contact}`, text: 'b' });
  const bodies = (await double.hub.until(2)).map(({ body }) => fieldsOf(body));
  expect(bodies.map(({ From }) => From)).toEqual([`whatsapp:${contact}`, `whatsapp:${contact}`]);
  expect(bodies[0]).toMatchObject({ To: 'whatsapp:+15550001001', ProfileName: 'Ada', WaId: '15550002001' });
});

test('files of a message are for whoever has the token', async () => {
  const double = await doubleOf('telco.sms');
  await double.control('message', { content: { media: ['image/png'] } });
  const fields = fieldsOf((await double.hub.until(1))[0]!.body);
  expect(fields).toMatchObject({ NumMedia: '1', MediaContentType0: 'image/png' });
  const { accountSid, authToken } = double.configuration;
  const Authorization = `Basic ${btoa(`${accountSid}:${authToken}`)}`;
  expect((await double.call(fields['MediaUrl0']!)).status).toBe(401);
  expect((await double.call(fields['MediaUrl0']!, { headers: { Authorization } })).status).toBe(200);
});

test('a wrong token is refused', async () => {
  const double = await doubleOf('telco.sms');
  const answer = await send(double, { To: contact, From: double.account, Body: 'x' }, 'wrong');
  expect(answer).toMatchObject({ status: 401, body: { code: 20003, status: 401, message: 'Authenticate' } });
});

test.each([
  ['no recipient', { Body: 'x' }, 400, 21604],
  ['a recipient that is no number', { To: '030 1234', Body: 'x' }, 400, 21211],
  ['a chat address for a text number', { To: `whatsapp:${contact}`, Body: 'x' }, 400, 21606],
  ['no content', { To: contact }, 400, 21602],
  ['a long text', { To: contact, Body: 'x'.repeat(1_601) }, 400, 21617],
  ['a number of somebody else', { To: contact, From: '+15559999999', Body: 'x' }, 400, 21606],
])('refuses %s in its own words', async (_, fields, status, code) => {
  const double = await doubleOf('telco.sms');
  const answer = await send(double, { From: double.account, ...(fields as Record<string, string>) });
  expect(answer).toMatchObject({ status, body: { code, status, message: expect.any(String) } });
  expect((await double.control('sent')).data).toEqual([]);
});

test('a contact who writes stop gets nothing until start', async () => {
  const double = await doubleOf('telco.sms');
  const fields = { To: contact, From: double.account, Body: 'x' };
  await double.control('message', { text: 'STOP' });
  expect(await send(double, fields)).toMatchObject({ status: 400, body: { code: 21610 } });
  await double.control('message', { text: 'start' });
  expect((await send(double, fields)).status).toBe(201);
});

test('a chat message after the window fails later', async () => {
  const double = await doubleOf('telco.cloudmsg');
  const StatusCallback = `${double.hub.url}/telco`;
  const fields = { To: `whatsapp:${contact}`, From: double.account, StatusCallback };
  expect((await send(double, { ...fields, Body: 'x' })).status).toBe(201);
  const [failed] = await double.hub.until(1);
  expect(fieldsOf(failed!.body)).toMatchObject({ MessageStatus: 'failed', ErrorCode: '63016' });
  await send(double, { ...fields, ContentSid: 'HX1' });
  expect(fieldsOf((await double.hub.until(2))[1]!.body)['MessageStatus']).toBe('sent');
});

test('the account and its numbers can be read', async () => {
  const double = await doubleOf('telco.sms');
  const { accountSid, authToken } = double.configuration;
  const headers = { Authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` };
  const of = (path: string) => double.call(`/2010-04-01/Accounts/${accountSid}${path}`, { headers });
  expect(await of('.json')).toMatchObject({ status: 200, body: { sid: accountSid, status: 'active' } });
  const numbers = await of(`/IncomingPhoneNumbers.json?PhoneNumber=${encodeURIComponent(double.account)}`);
  expect(numbers.body.incoming_phone_numbers).toHaveLength(1);
  expect(await of('/Nothing.json')).toMatchObject({ status: 404, body: { code: 20404 } });
});
