import { expect, test } from 'vitest';
import { masked, maskedValue } from '#actors/secrets.ts';

test.each([
  ['0123456789ab', '0123...'],
  ['0123456789a', '...'],
  ['', '...'],
])('the secret %j is shown as %s', (secret, shown) => {
  expect(masked(secret)).toBe(shown);
});

test('secrets of a value are masked at any depth', () => {
  const body = {
    url: 'https://crm.example',
    signatureKey: 'a-key-that-is-long',
    headers: { Authorization: 'Bearer abcdefgh', 'X-Team': 'support' },
    list: [{ token: 'short', n: 1 }, 'text', null],
    key: 7,
    exact: JSON.rawJSON('1.10'),
  };
  expect(maskedValue(body)).toEqual({
    ...body,
    signatureKey: 'a-ke...',
    headers: { ...body.headers, Authorization: 'Bear...' },
    list: [{ token: '...', n: 1 }, ...body.list.slice(1)],
  });
});
