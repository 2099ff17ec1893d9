import { describe, expect, it } from 'vitest';
import type { RawRequest } from '#src/connectors/connector.ts';
import { telcoConnector } from '#src/connectors/telco/connector.ts';
import { chat, type Form, posted, postedBody, publicUrl, route, signatureOf, sms, telcoConfig } from './platform.ts';

const isTaken = (request: RawRequest, address = publicUrl): boolean =>
  telcoConnector(telcoConfig(address))!.routes[0]!.verify(request);

const bodyOf = (form: Form): Buffer => Buffer.from(new URLSearchParams(form).toString());
const signed = (request: RawRequest, signature: string | string[] | undefined): RawRequest => ({
  ...request,
  headers: { ...request.headers, 'x-twilio-signature': signature as string },
});

/** Signatures that are none of the form. */
function forgeries(form: Record<string, string>): [how: string, RawRequest][] {
  const genuine = posted(form);
  const signature = signatureOf(form);
  const bytes = Buffer.from(signature, 'base64');
  const flipped = [...bytes.keys()].map((at): [string, RawRequest] => {
    const wrong = Buffer.from(bytes.map((byte, n) => (n === at ? byte ^ 1 : byte))).toString('base64');
    return [`bit ${at * 8} of the signature changed`, signed(genuine, wrong)];
  });
  const changed = Object.keys(form).map((name): [string, RawRequest] => {
    const body = bodyOf({ ...form, [name]: `${form[name]}x` });
    return [`${name} changed`, { ...genuine, body }];
  });
  const { Body: _, ...without } = form;
  const others: [string, RawRequest][] = [
    ['no signature', signed(genuine, undefined)],
    ['an empty signature', signed(genuine, '')],
    ['half a signature', signed(genuine, signature.slice(0, 14))],
    ['a longer signature', signed(genuine, `${signature}=`)],
    ['two signatures', signed(genuine, `${signature}, ${signature}`)],
    ['a list of signatures', signed(genuine, [signature])],
    ['a signature in lower case', signed(genuine, signature.toLowerCase())],
    ['a signature in hex', signed(genuine, bytes.toString('hex'))],
    ['a signature in base64url', signed(genuine, `${bytes.toString('base64url')}-`)],
    ['spaces around the signature', signed(genuine, ` ${signature} `)],
    ['a name before the signature', signed(genuine, `sha1=${signature}`)],
    ['a signature with a zero character', signed(genuine, `${signature}\u0000`)],
    ['the signature of another account', signed(genuine, signatureOf(form, route, 'f'.repeat(32)))],
    ['a signature with an empty key', signed(genuine, signatureOf(form, route, ''))],
    ['the signature of no fields', signed(genuine, signatureOf({}))],
    ['the signature of another path', signed(genuine, signatureOf(form, `${publicUrl}/other`))],
    ['the signature of another host', signed(genuine, signatureOf(form, 'https://other.example/telco'))],
    ['the signature of another port', signed(genuine, signatureOf(form, 'https://hub.example:8443/telco'))],
    ['the signature of http', signed(genuine, signatureOf(form, 'http://hub.example/telco'))],
    ['the signature of the path alone', signed(genuine, signatureOf(form, '/telco'))],
    ['a query that was not signed', posted(form, route, `${route}?a=1`)],
    ['no query, where one was signed', posted(form, `${route}?a=1`, route)],
    ['a query in another order', posted(form, `${route}?a=1&b=2`, `${route}?b=2&a=1`)],
    ['a field more', { ...genuine, body: bodyOf({ ...form, Extra: '1' }) }],
    ['a field less', { ...genuine, body: bodyOf(without) }],
    ['a value twice', { ...genuine, body: bodyOf([...Object.entries(form), ['From', '+49']]) }],
    ['no body', { ...genuine, body: Buffer.alloc(0) }],
    ['half a body', { ...genuine, body: bodyOf(form).subarray(0, 100) }],
    ['JSON of the same fields', { ...genuine, body: Buffer.from(JSON.stringify(form)) }],
    ['a digest in the address', posted(form, route, `${route}?bodySHA256=${'0'.repeat(64)}`)],
  ];
  return [...flipped, ...changed, ...others];
}

describe.each([
  ['telco.sms', sms],
  ['telco.cloudmsg', chat],
])('a call for %s', (_, form) => {
  const all = forgeries(form);

  it('has sixty forgeries and more', () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect(isTaken(posted(form))).toBe(true);
  });

  it.each(all)('is refused with %s', (_how, request) => {
    expect(isTaken(request)).toBe(false);
  });

  it('is refused at once, however many fields it has', () => {
    const names = Array.from({ length: 60_000 }, (_, n) => n.toString(36));
    expect(isTaken({ ...posted(form), body: Buffer.from(names.join('&')) })).toBe(false);
  });

  it('is refused with a body of another digest', () => {
    const genuine = postedBody('{"a":1}');
    expect(isTaken(genuine)).toBe(true);
    expect(isTaken({ ...genuine, body: Buffer.from('{"a":2}') })).toBe(false);
    expect(isTaken(signed(genuine, signatureOf({})))).toBe(false);
  });
});

const odd: [what: string, form: Form][] = [
  ['no text', { ...sms, Body: '' }],
  ['emoji', { ...sms, Body: 'Hi 👋🏽 👨‍👩‍👧' }],
  ['CRLF', { ...sms, Body: 'one\r\ntwo\r\n' }],
  ['escapes in the text', { ...sms, Body: '\\u00e4 %41 +1 &amp; ä' }],
  ['signs of forms in the text', { ...sms, Body: 'a=b&c=d?e#f' }],
  ['zero characters', { ...sms, Body: 'a\u0000b' }],
  ['right-to-left text', { ...sms, Body: 'שלום' }],
  ['a name twice', [...Object.entries(sms), ['MediaUrl', 'b'], ['MediaUrl', 'a'], ['MediaUrl', 'b']]],
  ['fields that nobody knows', { ...sms, zz: '1', AA: '2', Ärger: '3' }],
  ['many fields', Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`Field${n}`, String(n)]))],
  ['a name like an own word', { ...sms, constructor: 'a', toString: 'b' }],
];

const atPort = 'https://hub.example:8443';

describe('a genuine call', () => {
  it.each(odd)('may have %s', (_, form) => {
    expect(isTaken(posted(form))).toBe(true);
  });

  it('may escape more than it has to', () => {
    const body = new URLSearchParams(sms).toString().replace('Hello+hub', '%48ello%20hub');
    expect(isTaken({ ...posted(sms), body: Buffer.from(body) })).toBe(true);
  });

  it.each([
    ['the standard port', publicUrl, 'https://hub.example:443/telco', route],
    ['no port of two', atPort, route, `${atPort}/telco`],
    ['another port', atPort, `${atPort}/telco`, `${atPort}/telco`],
    ['TLS that ended at a proxy', publicUrl, route, 'http://10.0.0.7:8080/telco'],
    ['a slash after the public address', `${publicUrl}/`, route, route],
    ['a path that a proxy takes away', `${publicUrl}/hub`, `${publicUrl}/hub/telco`, route],
    ['no public address', '', 'http://localhost:8080/telco', 'http://localhost:8080/telco'],
    ['no public address, and a port', '', 'http://localhost:80/telco', 'http://localhost/telco'],
    [
      'an address in brackets',
      'https://[2001:db8::1]',
      'https://[2001:db8::1]:443/telco',
      'https://[2001:db8::1]/telco',
    ],
    ['a query', publicUrl, `${route}?line=1&b=%C3%A4`, `${route}?line=1&b=%C3%A4`],
  ])('may be signed with %s', (_, address, called, arrivesAt) => {
    expect(isTaken(posted(sms, called, arrivesAt), address)).toBe(true);
  });

  it('may be no form', () => {
    for (const body of ['{"a":"ä"}', '[]', 'text', '']) expect(isTaken(postedBody(body))).toBe(true);
  });
});
