import { describe, expect, it } from 'vitest';
import type { RawRequest } from '#src/connectors/connector.ts';
import { bizmapsConnector } from '#src/connectors/bizmaps/connector.ts';
import { bizMapsConfig, context, envelope, message, partnerKey, posted, postedText, signatureOf } from './platform.ts';

const route = bizmapsConnector(bizMapsConfig())!.routes[0]!;
const genuine = posted({ ...envelope, message, context });
const body = Buffer.from(genuine.body);
const signature = signatureOf(body);
const bytes = Buffer.from(signature, 'base64');

const signed = (given: string | string[] | undefined, request: RawRequest = genuine): RawRequest => ({
  ...request,
  headers: { ...request.headers, 'x-goog-signature': given as string },
});
const withBody = (text: string): RawRequest => ({ ...genuine, body: Buffer.from(text) });
const text = body.toString();

const forgeries: [how: string, request: RawRequest][] = [
  ...[...bytes.keys()].map((at): [string, RawRequest] => [
    `byte ${at} of the signature changed`,
    signed(Buffer.from(bytes.map((byte, n) => (n === at ? byte ^ 128 : byte))).toString('base64')),
  ]),
  ['no signature', signed(undefined)],
  ['an empty signature', signed('')],
  ['half a signature', signed(signature.slice(0, 44))],
  ['a longer signature', signed(`${signature}=`)],
  ['two signatures', signed(`${signature}, ${signature}`)],
  ['a list of signatures', signed([signature])],
  ['a signature in hex', signed(bytes.toString('hex'))],
  ['a signature in base64url', signed(bytes.toString('base64url'))],
  ['a signature in lower case', signed(signature.toLowerCase())],
  ['a name before the signature', signed(`sha512=${signature}`)],
  ['spaces around the signature', signed(` ${signature} `)],
  ['the signature of another key', signed(signatureOf(body, 'another-key'))],
  ['a signature with an empty key', signed(signatureOf(body, ''))],
  ['the key as its signature', signed(partnerKey)],
  ['the signature of nothing', signed(signatureOf(''))],
  ['the signature of another body', signed(signatureOf('{}'))],
  ['another text', withBody(text.replace('Hello', 'Hullo'))],
  ['another conversation', withBody(text.replace('"3333"', '"3334"'))],
  ['another agent', withBody(text.replace('2222', '2223'))],
  ['a space more', withBody(`${text} `)],
  ['a line more', withBody(`${text}\n`)],
  ['spaces between its parts', withBody(JSON.stringify(JSON.parse(text), null, 2))],
  ['escapes that were not signed', withBody(text.replace('Hello', '\\u0048ello'))],
  ['a mark of its encoding before it', withBody(`\ufeff${text}`)],
  ['no body', withBody('')],
  ['half a body', withBody(text.slice(0, 50))],
];

describe('a call of the platform', () => {
  it('has sixty forgeries and more', () => {
    expect(forgeries.length).toBeGreaterThanOrEqual(60);
    expect(route.verify(genuine)).toBe(true);
  });

  it.each(forgeries)('is refused with %s', (_, request) => {
    expect(route.verify(request)).toBe(false);
  });

  it.each([
    ['escapes', '{"message":{"text":"\\u00e4\\ud83d\\udc4b"}}'],
    ['emoji', '{"message":{"text":"👋🏽 ä"}}'],
    ['CRLF', '{\r\n"message":{"text":"a\\r\\nb"}\r\n}'],
    ['spaces around it', '  {"message":{}}  '],
    ['a name twice', '{"a":1,"a":2}'],
    ['long numbers', '{"a":12345678901234567890.10}'],
    ['no JSON', 'text'],
    ['nothing in it', ''],
    ['zero characters', 'a\u0000b'],
  ])('may have %s', (_, odd) => {
    expect(route.verify(postedText(odd))).toBe(true);
  });

  it('may have bytes that are no text', () => {
    const odd = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
    expect(route.verify({ ...genuine, body: odd, headers: { 'x-goog-signature': signatureOf(odd) } })).toBe(true);
  });
});

const secret = 'a secret of the platform';
const handshake = (given: object): RawRequest => ({ ...withBody(JSON.stringify(given)), headers: {} });

describe('the handshake', () => {
  it('with the key as its token is answered with its secret', () => {
    const request = handshake({ clientToken: partnerKey, secret });
    expect(route.verify(request)).toBe(true);
    expect(route.split(request)).toEqual([]);
    expect(route.answer?.(request)).toEqual({ contentType: 'text/plain', body: secret });
  });

  it('may be signed like any other call', () => {
    expect(route.verify(posted({ clientToken: 'another', secret }))).toBe(true);
  });

  it.each([
    { clientToken: 'another', secret },
    { clientToken: '', secret },
    { clientToken: `${partnerKey} `, secret },
    { clientToken: partnerKey },
    { clientToken: [partnerKey], secret },
    { clientToken: partnerKey, secret: 7 },
    { secret },
    [partnerKey, secret],
    { clientToken: partnerKey, secret: 'x'.repeat(5_000) },
  ])('is refused without it: %#', (given) => {
    expect(route.verify(handshake(given))).toBe(false);
  });

  it('is nothing that is read', () => {
    expect(route.answer?.(genuine).body).toBe('');
    expect(route.split(genuine)).toEqual([text]);
  });
});
