import { describe, expect, it } from 'vitest';
import type { Json } from '#actors/representation.ts';
import type { Delivery } from '#src/connectors/connector.ts';
import { telcoConnector } from '#src/connectors/telco/connector.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { accountSid, authToken, credential, publicUrl, telcoConfig } from './platform.ts';

const deliveryOf = (content: Json, prefix = ''): Delivery => ({
  message: { id: 'm', content, sentAt: 1_767_225_600_123 },
  conversation: {
    ...{ id: 'c', sourceConversationId: `${prefix}+491701234567`, createdAt: '2026-01-01T00:00:00.000Z' },
  },
  channel: {
    ...{ id: 'ch', source: prefix === '' ? 'telco.sms' : 'telco.cloudmsg' },
    ...{ source_channel_id: `${prefix}+4930123456`, metadata: {}, connected: true },
  },
  ...{ knownToSource: true, registered: null, token: null },
});

const answered = (status: number, body: string, headers = {}): OutgoingResult => ({
  ...{ kind: 'answered', status, headers, body },
  ...{ truncated: false, durationMs: 1 },
});

async function delivered(delivery: Delivery, result = answered(201, '{"sid":"SM1"}'), address = publicUrl) {
  const { deliver } = telcoConnector(telcoConfig(address))!;
  if (deliver === 'collected') throw new Error('It calls nobody.');
  const calls: OutgoingRequest[] = [];
  const send = async (request: OutgoingRequest) => {
    calls.push(request);
    return result;
  };
  const outcome = await deliver(delivery, { http: { send }, now: () => 0 });
  return { outcome, calls, fields: [...new URLSearchParams(String(calls[0]?.body ?? ''))] };
}

const to = ['To', '+491701234567'];
const from = ['From', '+4930123456'];
const callback = ['StatusCallback', 'https://hub.example/telco'];
const variables = { '1': 'Ann', '2': 'äöü' };

describe('a call to the platform', () => {
  it('is a form, to the messages of the account', async () => {
    const { calls, fields } = await delivered(deliveryOf({ text: 'Hi äöü & 1+1' }));
    expect(calls[0]).toMatchObject({
      url: `https://platform.example/2010-04-01/Accounts/${accountSid}/Messages.json`,
      headers: { Authorization: credential, 'Content-Type': 'application/x-www-form-urlencoded' },
      timeoutMs: 10_000,
    });
    expect(fields).toEqual([to, from, ['Body', 'Hi äöü & 1+1'], callback]);
  });

  it('names chat numbers as the platform does', async () => {
    const { fields } = await delivered(deliveryOf({ text: 'Hi' }, 'cloudmsg:'));
    expect(fields.slice(0, 2)).toEqual([
      ['To', 'whatsapp:+491701234567'],
      ['From', 'whatsapp:+4930123456'],
    ]);
  });

  it('asks for receipts only where the platform can bring them', async () => {
    expect((await delivered(deliveryOf('Hi'), undefined, '')).fields).toEqual([to, from, ['Body', 'Hi']]);
    const { fields } = await delivered(deliveryOf('Hi'), undefined, `${publicUrl}/hub/`);
    expect(fields.at(-1)).toEqual(['StatusCallback', 'https://hub.example/hub/telco']);
  });

  it.each<[what: string, content: Json, fields: string[][]]>([
    ['a text alone', 'Hi', [['Body', 'Hi']]],
    ['text', { text: 'Hi' }, [['Body', 'Hi']]],
    ['a body', { Body: 'Hi' }, [['Body', 'Hi']]],
    [
      'an empty body with a file',
      { Body: '', MediaUrl: 'https://a.example/1' },
      [
        ['Body', ''],
        ['MediaUrl', 'https://a.example/1'],
      ],
    ],
    ['a file', { MediaUrl: 'https://a.example/1?b=ä' }, [['MediaUrl', 'https://a.example/1?b=ä']]],
    [
      'files',
      { MediaUrl: ['https://a.example/1', 'https://a.example/2'] },
      [
        ['MediaUrl', 'https://a.example/1'],
        ['MediaUrl', 'https://a.example/2'],
      ],
    ],
    [
      'a template',
      { ContentSid: 'HX1', ContentVariables: variables },
      [
        ['ContentSid', 'HX1'],
        ['ContentVariables', '{"1":"Ann","2":"äöü"}'],
      ],
    ],
    [
      'variables as text',
      { ContentSid: 'HX1', ContentVariables: '{"1":"Ann"}' },
      [
        ['ContentSid', 'HX1'],
        ['ContentVariables', '{"1":"Ann"}'],
      ],
    ],
    [
      'numbers and flags',
      { Body: 'a', ValidityPeriod: 60, SmartEncoded: true },
      [
        ['Body', 'a'],
        ['ValidityPeriod', '60'],
        ['SmartEncoded', 'true'],
      ],
    ],
    [
      'a number by its digits',
      { Body: 'a', MaxPrice: JSON.rawJSON('0.10') as unknown as Json },
      [
        ['Body', 'a'],
        ['MaxPrice', '0.10'],
      ],
    ],
    ['nothing for null', { Body: 'a', MediaUrl: null }, [['Body', 'a']]],
    ['no other recipient', { Body: 'a', To: '+1', From: '+2', StatusCallback: 'https://b.example' }, [['Body', 'a']]],
  ])('holds %s', async (_, content, fields) => {
    expect((await delivered(deliveryOf(content))).fields).toEqual([to, from, ...fields, callback]);
  });

  const empty = 'There is nothing to send: a message has text, a MediaUrl or a ContentSid.';
  it.each<[content: Json, error: string]>([
    [{}, empty],
    [null, empty],
    ['', empty],
    [7, empty],
    [[], empty],
    [{ text: 'a', Body: 'b' }, 'The platform has no field text: it takes text, or fields such as Body.'],
    [{ text: '' }, empty],
    [{ MediaUrl: [] }, empty],
    [
      { text: 'a', quick_replies: [1] },
      'The platform has no field quick_replies: it takes text, or fields such as Body.',
    ],
  ])('is not made for %j', async (content, error) => {
    const { outcome, calls } = await delivered(deliveryOf(content));
    expect([outcome, calls]).toEqual([{ kind: 'rejected', error }, []]);
  });
});

const refusal = (code: number, message: string) =>
  JSON.stringify({ code, message, more_info: 'https://a', status: 400 });
const badSid = 'What the source said of it: its sid is no text of 1 to 255 visible characters.';

describe('an answer of the platform', () => {
  it.each<[what: string, status: number, body: string, outcome: object]>([
    [
      'an id',
      201,
      '{"sid":"SM7","status":"queued","error_code":null}',
      { kind: 'succeeded', sourceMessageId: 'SM7', metadata: {} },
    ],
    ['no id', 201, '{"status":"queued"}', { kind: 'succeeded', sourceMessageId: null, metadata: { left_out: badSid } }],
    ['an odd id', 201, '{"sid":7}', { kind: 'succeeded', sourceMessageId: null, metadata: { left_out: badSid } }],
    [
      'an opted-out recipient',
      400,
      refusal(21610, 'Attempt to send to unsubscribed recipient'),
      { kind: 'rejected', error: 'Attempt to send to unsubscribed recipient (21610)' },
    ],
    [
      'a closed window',
      400,
      refusal(63016, 'Failed to send freeform message'),
      { kind: 'rejected', error: 'Failed to send freeform message (63016)' },
    ],
    [
      'a wrong token',
      401,
      '{"code":20003,"message":"Authenticate","status":401}',
      { kind: 'rejected', error: 'Authenticate (20003)' },
    ],
    ['a code as text', 400, '{"code":"21211","message":"Invalid"}', { kind: 'rejected', error: 'Invalid (21211)' }],
    ['no code', 400, '{"message":"Invalid"}', { kind: 'rejected', error: 'Invalid' }],
    ['no text', 400, '{"code":21211}', { kind: 'rejected', error: 'The source answered with status 400.' }],
    [
      'too many requests',
      429,
      refusal(20429, 'Too Many Requests'),
      { kind: 'throttled', error: 'Too Many Requests (20429)', retryAfter: 5_000 },
    ],
    [
      'the code of too many requests',
      400,
      refusal(20429, 'Too Many Requests'),
      { kind: 'throttled', error: 'Too Many Requests (20429)', retryAfter: 5_000 },
    ],
    [
      'a full queue',
      400,
      refusal(21611, 'Queue full'),
      { kind: 'throttled', error: 'Queue full (21611)', retryAfter: 5_000 },
    ],
    [
      'a wait without a text',
      400,
      '{"code":63018}',
      { kind: 'throttled', error: 'The telephony provider asks to wait.', retryAfter: 5_000 },
    ],
    [
      'a fault',
      503,
      refusal(20503, 'Unavailable'),
      { kind: 'unreachable', error: 'The source answered with status 503.' },
    ],
  ])('with %s is understood', async (_, status, body, outcome) => {
    expect((await delivered(deliveryOf('Hi'), answered(status, body))).outcome).toEqual(outcome);
  });

  it('tells no secret, also where the platform does', async () => {
    const message = `Basic ${credential.slice(6)} and ${authToken} are wrong`;
    const { outcome } = await delivered(deliveryOf('Hi'), answered(400, JSON.stringify({ message })));
    expect(outcome).toEqual({ kind: 'rejected', error: 'Basic [redacted] and [redacted] are wrong' });
  });
});
