import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createGuardedFetch } from '#src/outgoing/guarded-fetch.ts';
import { matchesOne } from '#src/security/email-pattern.ts';
import { refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { CookieClient } from '../_support/cookie-client.ts';
import { type Forge, ForgingProvider, unsigned } from '../_support/forging-provider.ts';
import { configWith } from '../_support/oidc-provider.ts';

/** The status of a login at a provider that gives out this token. @param state of another login */
async function statusOf(api: TestApi, provider: ForgingProvider, forge: Forge, state?: string): Promise<number> {
  const client = new CookieClient();
  const { headers } = await client.once(`${api.url}/login`);
  const asked = new URL(headers.get('location')!).searchParams;
  provider.nonce = asked.get('nonce')!;
  provider.forge = forge;
  const query = new URLSearchParams({ code: 'code', state: state ?? asked.get('state')! });
  return (await client.once(`${api.url}/login/callback?${query}`)).status;
}

const now = Math.floor(Date.now() / 1_000);

describe('an ID token', () => {
  it.each<[what: string, forge: Forge, status: number]>([
    ['that is sound', (provider) => provider.token({}), 302],
    [
      'without a signature',
      (provider, nonce) => unsigned({ iss: provider.issuer, aud: 'parley', sub: 'ann', nonce }),
      401,
    ],
    ['of another key', (provider) => provider.foreignToken(), 401],
    ['for another client', (provider) => provider.token({ aud: 'other' }), 401],
    ['of another issuer', (provider) => provider.token({ iss: 'https://other.example' }), 401],
    ['that has expired', (provider) => provider.token({ iat: now - 600, exp: now - 300 }), 401],
    ['of another login', (provider) => provider.token({ nonce: 'other' }), 401],
    ['without an address', (provider) => provider.token({ email: undefined }), 403],
    ['with two addresses in one', (provider) => provider.token({ email: 'eve@elsewhere.example@example.com' }), 403],
    ['with an address that is no text', (provider) => provider.token({ email: ['ann@example.com'] }), 403],
    ['with an id without end', (provider) => provider.token({ sub: 'a'.repeat(256) }), 401],
  ])('%s is judged', async (_, forge, status) => {
    await using provider = await new ForgingProvider().listen();
    await using api = await startApi({ config: configWith(provider.issuer) });
    expect(await statusOf(api, provider, forge)).toBe(status);
  });

  it('with an odd profile gives what is usable of it', async () => {
    await using provider = await new ForgingProvider().listen();
    await using api = await startApi({ config: configWith(provider.issuer) });
    const odd = { name: 'A'.repeat(300), picture: 'javascript:alert(1)' };
    expect(await statusOf(api, provider, () => provider.token(odd))).toBe(302);
    expect(api.reader.users.page({ limit: 1, from: null }).items.map(({ text }) => JSON.parse(text))).toEqual([
      expect.objectContaining({ name: 'A'.repeat(255) }),
    ]);
    expect(api.reader.users.page({ limit: 1, from: null }).items[0]!.text).not.toContain('javascript');
  });
});

describe('a provider', () => {
  it('that does not answer is asked again with the next login', async () => {
    const spare = await new ForgingProvider().listen();
    const port = Number(new URL(spare.issuer).port);
    const { issuer } = spare;
    await spare[Symbol.asyncDispose]();
    await using api = await startApi({ config: configWith(issuer) });
    const refused = await new CookieClient().once(`${api.url}/login`);
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('does not answer as it should')]);
    await using provider = await new ForgingProvider().listen(port);
    expect(await statusOf(api, provider, () => provider.token({}))).toBe(302);
  });

  it('is out of reach where outgoing calls may not go', async () => {
    await using provider = await new ForgingProvider().listen();
    const config = configWith(provider.issuer);
    config.outgoing.allowNetworks = [];
    await using api = await startApi({ config });
    const answer = await fetch(`${api.url}/login`);
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }]);
  });

  it('that takes any code ends no login of another state', async () => {
    await using provider = await new ForgingProvider().listen();
    await using api = await startApi({ config: configWith(provider.issuer) });
    expect(await statusOf(api, provider, () => provider.token({}), 'other')).toBe(401);
  });

  it('that others stand behind names no user of theirs', async () => {
    await using provider = await new ForgingProvider().listen();
    await using api = await startApi({ config: configWith(provider.issuer) });
    const client = new CookieClient();
    const { headers } = await client.once(`${api.url}/login`);
    const asked = new URL(headers.get('location')!).searchParams;
    provider.nonce = asked.get('nonce')!;
    await client.once(`${api.url}/login/callback?${new URLSearchParams({ code: 'c', state: asked.get('state')! })}`);
    const cookie = client.cookiesOf(new URL(api.url).host);
    expect((await api.post('/channels.list', {}, { cookie })).status).toBe(200);
    api.config.security.oidc!.issuer = 'https://other.example';
    expect(refusalOf(await api.post('/channels.list', {}, { cookie }))).toEqual([401, 'unauthorized']);
  });
});

describe('calls to a provider', () => {
  it('are bound in bytes and in time', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(300_000));
      else response.write('a');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const calls = createGuardedFetch({ allowNetworks: ['127.0.0.0/8'], timeoutMs: 100 });
    const read = async (path: string): Promise<string> => (await calls.fetch(url + path, {})).text();
    await expect(read('/large')).rejects.toThrow();
    await expect(read('/endless')).rejects.toThrow();
    await calls.close();
    server.closeAllConnections();
    server.close();
  });
});

describe('a pattern of addresses', () => {
  it.each([
    ['*@example.com', 'ann@example.com', true],
    ['*@example.com', 'ANN@Example.COM', true],
    ['*@example.com', 'ann@example.com.evil', false],
    ['*@example.com', 'ann@sub.example.com', false],
    ['*@*.example.com', 'ann@sub.example.com', true],
    ['ann@example.com', 'joann@example.com', false],
    ['ann@example.com', 'ann@exampleXcom', false],
    ['a*n@example.com', 'an@example.com', true],
    ['a*a@x', 'a@x', false],
    ['*', 'ann@example.com', true],
    ['*', 'ann', false],
    ['*@example.com', 'eve@evil@example.com', false],
    ['', 'ann@example.com', false],
  ])('%s, %s: %s', (pattern, address, matches) => {
    expect(matchesOne([pattern], address)).toBe(matches);
  });
});
