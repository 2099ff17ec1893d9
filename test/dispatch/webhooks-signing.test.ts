import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSigner } from '#src/dispatch/webhooks/signing.ts';

const body = JSON.stringify({ type: 'message.created', payload: { content: { text: 'Grüße, 你好 👋' } } });
const content = { id: '0190163d-8694-739b-aea5-966c26f8ad91', at: Date.now(), body };
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const verify = (key: string, headers: Record<string, string>, format?: 'raw') =>
  new Webhook(key, format && { format }).verify(Buffer.from(body), headers);

test('a whsec_ key verifies with standardwebhooks', () => {
  expect(verify(secret, createSigner([secret])(content))).toEqual(JSON.parse(body));
});

test('any other key is signed with its bytes', () => {
  expect(verify('a plain key', createSigner(['a plain key'])(content), 'raw')).toEqual(JSON.parse(body));
});

test('the hexadecimal HMAC covers the exact bytes of the body', () => {
  for (const key of [secret, 'schlüssel']) {
    const expected = createHmac('sha256', Buffer.from(key)).update(Buffer.from(body)).digest('hex');
    expect(createSigner([key])(content)['X-Service-Content-Signature']).toBe(expected);
  }
});

test('while keys overlap, both verify', () => {
  const headers = createSigner([secret, 'before'])(content);
  expect(() => verify(secret, headers)).not.toThrow();
  expect(() => verify('before', headers, 'raw')).not.toThrow();
  expect(() => verify('another', headers, 'raw')).toThrow();
});

test('without a key there is no signature', () => {
  const headers = createSigner([])(content);
  expect(Object.keys(headers).filter((name) => /signature/i.test(name))).toEqual([]);
  expect(headers['webhook-id']).toBe(content.id);
  expect(headers['webhook-timestamp']).toBe(String(Math.floor(content.at / 1_000)));
});

test("configured headers never replace the hub's own", () => {
  const configured = { 'X-Team': 'blue', 'content-type': 'text/plain', 'Webhook-Id': '1', 'user-agent': 'me' };
  const headers = createSigner([secret], configured)(content);
  expect(headers).toMatchObject({ 'X-Team': 'blue', 'Content-Type': 'application/json' });
  expect(Object.keys(headers).filter((name) => /^(content-type|webhook-id|user-agent)$/i.test(name))).toHaveLength(3);
  expect(headers['User-Agent']).toMatch(/^parley\/\d/);
});
