import { createHash, createHmac } from 'node:crypto';
import { sign } from '@octokit/webhooks-methods';
import type { RawRequest } from '#src/connectors/connector.ts';
import { appSecret, posted, shaken, verifyToken } from './platform.ts';

type Named = readonly [title: string, request: RawRequest];

const header = 'x-hub-signature-256';

/** Requests that look like one of the platform, and are not. */
export async function forged(path: string, content: object): Promise<Named[]> {
  const genuine = await posted(path, content);
  const text = Buffer.from(genuine.body).toString();
  const signature = String(genuine.headers[header]);
  const hex = signature.slice('sha256='.length);
  const signedAs = (title: string, given: string | undefined): Named => [
    title,
    { ...genuine, headers: given === undefined ? {} : { [header]: given } },
  ];
  const sent = (title: string, body: string | Buffer): Named => [title, { ...genuine, body: Buffer.from(body) }];
  const under = (algorithm: string, key: string): string => createHmac(algorithm, key).update(text).digest('hex');
  const digits = [...hex].map((digit, n) =>
    signedAs(`digit ${n}`, `sha256=${hex.slice(0, n)}${digit === '0' ? '1' : '0'}${hex.slice(n + 1)}`),
  );
  const lengths = [0, 1, 2, 8, 32, 62, 63].map((n) => signedAs(`${n} digits`, `sha256=${hex.slice(0, n)}`));
  const secrets = ['', ' ', 'undefined', 'null', verifyToken, `${appSecret} `, appSecret.toUpperCase(), 'app-1'];
  const others = secrets.map((key) => signedAs(`by “${key}”`, `sha256=${under('sha256', key)}`));
  const algorithms = ['md5', 'sha1', 'sha224', 'sha384', 'sha512'].map((name) =>
    signedAs(`by ${name}`, `sha256=${under(name, appSecret)}`),
  );
  return [
    ...[...digits, ...lengths, ...others, ...algorithms],
    signedAs('no signature', undefined),
    signedAs('an empty signature', ''),
    signedAs('no algorithm', hex),
    signedAs('the name of another algorithm', `sha1=${hex}`),
    signedAs('an algorithm in capitals', `SHA256=${hex}`),
    signedAs('digits in capitals', `sha256=${hex.toUpperCase()}`),
    signedAs('base64', `sha256=${Buffer.from(hex, 'hex').toString('base64')}`),
    signedAs('a digit more', `${signature}0`),
    signedAs('a space before', ` ${signature}`),
    signedAs('the signature twice', `${signature}, ${signature}`),
    signedAs('the signature among others', `sha1=00, ${signature}`),
    signedAs('a hash without a key', `sha256=${createHash('sha256').update(text).digest('hex')}`),
    signedAs('the signature of nothing', await sign(appSecret, ' ')),
    signedAs('the signature of another body', await sign(appSecret, '{"object":"page","entry":[]}')),
    signedAs('the older header’s signature', `sha1=${under('sha1', appSecret)}`),
    ['only the older header', { ...genuine, headers: { 'x-hub-signature': `sha1=${under('sha1', appSecret)}` } }],
    sent('no body', ''),
    sent('half of the body', text.slice(0, text.length / 2)),
    sent('the body without its end', text.slice(0, -1)),
    sent('a line more', `${text}\n`),
    sent('a mark of order before', `\ufeff${text}`),
    sent('other spaces', JSON.stringify(JSON.parse(text), null, 1)),
    sent('the body twice', text + text),
    sent(
      'another contact',
      text.replace(/\d(?=\d*")/, (digit) => String((Number(digit) + 1) % 10)),
    ),
    sent('a character that is no text', Buffer.concat([Buffer.from(text), Buffer.from([0xff])])),
    sent('another encoding', Buffer.from(text, 'utf16le')),
  ];
}

/** Handshakes of somebody else. */
export const forgedHandshakes = (path: string): Named[] => [
  ['another token', shaken(path, { 'hub.verify_token': 'guess' })],
  ['no token', shaken(path, { 'hub.verify_token': null })],
  ['an empty token', shaken(path, { 'hub.verify_token': '' })],
  ['a token in capitals', shaken(path, { 'hub.verify_token': verifyToken.toUpperCase() })],
  ['a part of the token', shaken(path, { 'hub.verify_token': verifyToken.slice(1) })],
  ['the secret of the app', shaken(path, { 'hub.verify_token': appSecret })],
  ['another mode', shaken(path, { 'hub.mode': 'unsubscribe' })],
  ['no mode', shaken(path, { 'hub.mode': null })],
];

/** Requests of the platform that a careless check would refuse. @param content has no character beyond ASCII */
export async function odd(path: string, content: object): Promise<Named[]> {
  const text = JSON.stringify(content);
  const worded = text.replace('Hello', 'Grüße, 你好 👋🏽 \u2028 𝄞');
  const escaped = worded.replace(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  const at = async (address: string): Promise<RawRequest> => ({
    ...(await posted(path, text)),
    url: new URL(path, address),
  });
  return [
    ['plain text beyond ASCII', await posted(path, worded)],
    ['escaped unicode, sent as signed', await posted(path, escaped)],
    ['escaped unicode signed, plain text sent', await posted(path, worded, escaped)],
    ['half of a pair, escaped', await posted(path, text.replace('Hello', '\\ud83d'))],
    ['lines that end in CRLF', await posted(path, JSON.stringify(content, null, 2).replaceAll('\n', '\r\n'))],
    ['a line end after it', await posted(path, `${text}\n`)],
    ['spaces around', await posted(path, `  ${text}\t`)],
    ['escaped slashes', await posted(path, text.replaceAll('/', '\\/'))],
    ['a port in the URL', await at('https://hub.example:8443')],
    ['a proxy that ends TLS', await at('http://10.0.0.7')],
    ['a question in the URL', await at('https://hub.example/?from=proxy')],
    ['headers that say little', { ...(await posted(path, text)), headers: (await bare(path, text)).headers }],
  ];
}

async function bare(path: string, text: string): Promise<RawRequest> {
  const genuine = await posted(path, text);
  return { ...genuine, headers: { [header]: genuine.headers[header] } };
}
