import { describe, expect, it } from 'vitest';
import type { IncomingMessage } from 'node:http';
import { clientAddress } from '#src/http/client-address.ts';
import { testConfig } from '../_support/config.ts';

const of = (remoteAddress: string, forwarded: string | undefined, trustedProxies: string[]): string =>
  clientAddress({ ...testConfig().server, trustedProxies }, {
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage);

describe('the address of a client', () => {
  it.each([
    ['is that of the connection', '203.0.113.7', undefined, [], '203.0.113.7'],
    ['is not what anybody writes', '203.0.113.7', '198.51.100.1', [], '203.0.113.7'],
    ['is what a proxy says that is trusted', '10.0.0.2', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
    [
      'is the nearest one that is no proxy',
      '10.0.0.2',
      '1.2.3.4, 198.51.100.1, 10.0.0.3',
      ['10.0.0.0/8'],
      '198.51.100.1',
    ],
    [
      'is the furthest proxy where there are only proxies',
      '10.0.0.2',
      '10.0.0.4, 10.0.0.3',
      ['10.0.0.0/8'],
      '10.0.0.4',
    ],
    ['has no port that a proxy names', '10.0.0.2', '198.51.100.1:4711, 10.0.0.3:80', ['10.0.0.0/8'], '198.51.100.1'],
    ['of IPv6 has no port either', '10.0.0.2', '[2001:db8::1]:4711', ['10.0.0.0/8'], '2001:db8::1'],
    ['of IPv6 ends with its last group', '10.0.0.2', '2001:db8::1:4711', ['10.0.0.0/8'], '2001:db8::1:4711'],
    ['is that of a proxy that says nothing', '10.0.0.2', undefined, ['10.0.0.0/8'], '10.0.0.2'],
    ['is found behind an IPv4 address in IPv6 form', '::ffff:10.0.0.2', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
  ])('%s', (_, connection, forwarded, trusted, expected) => {
    expect(of(connection, forwarded, trusted)).toBe(expected);
  });
});
