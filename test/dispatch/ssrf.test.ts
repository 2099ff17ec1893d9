import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressNotAllowed, createAddressGuard, parseNetworks, type Resolve } from '#src/outgoing/address-guard.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { createOutgoingClient } from '#src/outgoing/client.ts';
import { guardedConnector } from '#src/outgoing/guarded-connector.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { literals } from './ssrf-forms.ts';

/** Names and what the resolver answers for them; each has something forbidden in its answer. */
const names: Record<string, string[]> = {
  'inner.example': ['127.0.0.1'],
  'inner.example.': ['127.0.0.1'],
  'ten.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zone.example': ['fe80::1%lo'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'mixed-last.example': ['93.184.215.14', '127.0.0.1'],
  'mixed-first.example': ['127.0.0.1', '93.184.215.14'],
  'mixed-six.example': ['2606:4700::1', '::1'],
  'nonsense.example': ['not-an-address'],
  'empty-answer.example': [''],
  'unspecified.example': ['0.0.0.0'],
  'multicast.example': ['ff02::1'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'a.localhost': ['::1'],
};

const resolveFrom =
  (table: Record<string, string[]>): Resolve =>
  async (name) =>
    (table[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const refusal = { kind: 'refused', reason: 'address_not_allowed' };
const badUrl = { kind: 'refused', reason: 'bad_url' };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver[Symbol.asyncDispose]());

async function post(url: string, allowNetworks: string[] = [], resolve?: Resolve): Promise<OutgoingResult> {
  const client = createOutgoingClient({ allowNetworks, connectTimeoutMs: 1000, ...(resolve && { resolve }) });
  try {
    return await client.send({ url, headers: {}, body: '{}', timeoutMs: 2000 });
  } finally {
    await client.close();
  }
}

describe('ports of the hub', () => {
  const everything = parseNetworks(['0.0.0.0/0', '::/0']);
  const own = networkInterfaces();
  const addresses = Object.values(own).flatMap((all = []) => all.map(({ address }) => address));

  it('are refused on every address of this machine, and no others', () => {
    const guard = createAddressGuard(everything, new Set([8080]));
    for (const address of [...addresses, '127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1']) {
      expect([address, guard.allows(address, 8080), guard.allows(address, 8081)]).toEqual([address, false, true]);
    }
    expect(guard.allows('198.51.100.7', 8080)).toBe(true);
  });

  it('are refused whatever networks are allowed', async () => {
    await using hub = await startReceiver();
    const ownPorts = new Set<number>();
    const client = createOutgoingClient({ allowNetworks: ['127.0.0.0/8'], ownPorts });
    // The hub knows its ports when it listens, and has its clients by then.
    ownPorts.add(hub.port);
    const url = `http://127.0.0.1:${hub.port}/`;
    expect(await client.send({ url, headers: {}, body: '{}' })).toEqual(refusal);
    await client.close();
    expect(await post(url, ['127.0.0.0/8'])).toMatchObject({ kind: 'answered' });
  });
});

describe('address guard', () => {
  it('has more than a hundred forms in its table', () => {
    expect(new Set([...literals, ...Object.keys(names)]).size).toBeGreaterThan(120);
  });

  it.each(literals)('refuses the literal %s', async (host) => {
    expect(await post(`http://${host}:${receiver.port}/`)).toEqual(refusal);
    expect(receiver.sockets).toBe(0);
  });

  it.each(Object.keys(names))('refuses the name %s', async (name) => {
    expect(await post(`http://${name}:${receiver.port}/`, [], resolveFrom(names))).toEqual(refusal);
    expect(receiver.sockets).toBe(0);
  });

  it('refuses localhost through the system resolver', async () => {
    expect(await post(`http://localhost:${receiver.port}/`)).toEqual(refusal);
    expect(await post(`https://localhost:${receiver.port}/`)).toEqual(refusal);
    expect(receiver.sockets).toBe(0);
  });

  it.each([
    'http://user@127.0.0.1:PORT/',
    'http://user:pass@127.0.0.1:PORT/',
    'http://:pass@example.com/',
    'http://93.184.215.14@127.0.0.1:PORT/',
    'ftp://127.0.0.1:PORT/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/_x',
    'data:text/plain,x',
    'javascript:1',
    '//127.0.0.1:PORT/',
    '127.0.0.1:PORT',
    'http://',
    'http://256.0.0.1/',
    'http://[::1/',
    'http://[fe80::1%25lo]/',
    'http://127.0.0.1:99999/',
    '',
  ])('takes %s for no usable URL', async (url) => {
    expect(await post(url.replace('PORT', String(receiver.port)))).toEqual(badUrl);
    expect(receiver.sockets).toBe(0);
  });

  it.each([
    'http:127.0.0.1:PORT/',
    'http:\\\\127.0.0.1:PORT\\',
    'http:///127.0.0.1:PORT/',
    'http://127.0.0.1:PORT#@example.com/',
    'http://127.0.0.1:PORT\\@example.com/',
    ' http://127.0.0.1:PORT/ ',
    'http://127.0.0.1\t:PORT/',
    'HTTP://127.0.0.1:PORT/',
  ])('sees through the URL %j', async (url) => {
    expect(await post(url.replace('PORT', String(receiver.port)))).toEqual(refusal);
    expect(receiver.sockets).toBe(0);
  });

  it('asks the resolver once, so that an answer cannot change', async () => {
    await using inner = await startReceiver(undefined, '127.0.0.1');
    let asked = 0;
    // 127.0.0.9 plays the public address: allowed, and nothing listens there.
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.9' : '127.0.0.1', family: 4 }];
    };
    const result = await post(`http://rebind.example:${inner.port}/`, ['127.0.0.9/32'], rebinding);
    expect(result).toMatchObject({ kind: 'failed', reason: 'connection' });
    expect(asked).toBe(1);
    expect(inner.sockets).toBe(0);
  });

  it('checks anew for each connection after a rebinding', async () => {
    await using open = await startReceiver((response) => {
      response.setHeader('connection', 'close').end('ok');
    }, '127.0.0.2');
    const answers = ['127.0.0.2', '127.0.0.1'];
    const resolve: Resolve = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }];
    const client = createOutgoingClient({ allowNetworks: ['127.0.0.2/32'], resolve });
    const request = { url: `http://rebind.example:${open.port}/`, headers: {}, body: '' };
    expect(await client.send(request)).toMatchObject({ kind: 'answered', status: 200 });
    expect(await client.send(request)).toEqual(refusal);
    await client.close();
  });

  it('checks the peer of the open socket as well', async () => {
    await using inner = await startReceiver(undefined, '127.0.0.1');
    const connect = guardedConnector({ allows: () => false, addressesOf: async () => ['127.0.0.1'] }, 1000);
    const options = { hostname: 'a.example', protocol: 'http:', port: String(inner.port) };
    const error = await new Promise((done) => connect(options, (...[failure]) => done(failure)));
    expect(error).toBeInstanceOf(AddressNotAllowed);
    expect(inner.requests).toEqual([]);
  });

  it('allows public addresses of both families', () => {
    const guard = createAddressGuard(parseNetworks([]));
    const open = ['8.8.8.8', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700::1', '::ffff:8.8.8.8'];
    expect(open.filter((address) => !guard.allows(address, 80))).toEqual([]);
  });
});

describe('allowed networks', () => {
  it.each([
    ['127.0.0.1/32', 'http://127.0.0.1:PORT/'],
    ['127.0.0.1', 'http://127.0.0.1:PORT/'],
    ['127.0.0.0/8', 'http://2130706433:PORT/'],
    ['127.0.0.1/32', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['::1/128', 'http://[::1]:PORT/'],
    ['127.0.0.1/32', 'http://inner.example:PORT/'],
  ])('%s opens %s', async (network, url) => {
    await using open = await startReceiver();
    const result = await post(url.replace('PORT', String(open.port)), [network], resolveFrom(names));
    expect(result).toMatchObject({ kind: 'answered', status: 200, body: 'ok' });
  });

  it.each([
    ['127.0.0.2/32', 'http://127.0.0.1:PORT/'],
    ['127.0.0.1/32', 'http://127.0.0.2:PORT/'],
    ['127.0.0.1/32', 'http://[::1]:PORT/'],
    ['::1/128', 'http://127.0.0.1:PORT/'],
    ['::/0', 'http://127.0.0.1:PORT/'],
    ['::/0', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['0.0.0.0/0', 'http://[::1]:PORT/'],
    ['127.0.0.1/32', 'http://localhost:PORT/'],
  ])('%s keeps %s closed', async (network, url) => {
    const at = url.replace('PORT', String(receiver.port));
    expect(await post(at, [network], resolveFrom(names))).toEqual(refusal);
    expect(receiver.sockets).toBe(0);
  });

  it.each([
    '10.0.0.0/33',
    '::/129',
    'example.com',
    '10.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '',
    '::ffff:10.0.0.0/104',
  ])('an entry %j is named in the error', (entry) => {
    expect(() => parseNetworks(['10.0.0.0/8', entry])).toThrow(JSON.stringify(entry));
  });
});
