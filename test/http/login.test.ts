import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionJson, UserJson } from '#actors/representation.ts';
import type { OidcConfig } from '#src/config/config.ts';
import { pathOnHub } from '#src/http/login/routes.ts';
import { refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { systemToken } from '../_support/config.ts';
import { CookieClient, logIn } from '../_support/cookie-client.ts';
import { configWith, type RunningProvider, startProvider } from '../_support/oidc-provider.ts';

let provider: RunningProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider[Symbol.asyncDispose]());

const system = { Authorization: `Bearer ${systemToken}` };
const open = (oidc: Partial<OidcConfig> = {}) => startApi({ config: configWith(provider.issuer, oidc) });
const hostOf = (url: string): string => new URL(url).host;
const userId = (account: string): string => `${hostOf(provider.issuer)}:${account}`;
const hour = 60 * 60 * 1_000;

/** @returns the cookie of a new session, as a browser sends it */
async function cookieOf(api: TestApi, account = 'ann'): Promise<{ cookie: string }> {
  const client = new CookieClient();
  await logIn(client, `${api.url}/login`, account);
  const token = client.cookie(hostOf(api.url), 'parley_auth_token');
  return { cookie: `parley_auth_token=${token}` };
}

const statusWith = async (api: TestApi, headers: Record<string, string>): Promise<number> =>
  (await api.post('/channels.list', {}, headers)).status;

describe('a login', () => {
  it('names the user, in the configuration and as sender', async () => {
    await using api = await open();
    const shop = await api.addSource('shop');
    const conversation_id = await shop.push('bob', 'hello');
    const headers = await cookieOf(api);
    const ann = { id: userId('ann'), name: 'Ann', avatar_url: 'https://pictures.example/ann.png' };
    const { body } = await api.post<{ user_profile: unknown }>('/client.config', {}, headers);
    expect(body.user_profile).toEqual(ann);
    const message = { conversation_id, message: { text: 'hi' } };
    expect((await api.post<{ sender: unknown }>('/messages.send', message, headers)).body.sender).toEqual(ann);
  });

  it('leads to where it was asked for', async () => {
    await using api = await open();
    const page = await logIn(new CookieClient(), `${api.url}/login?return_to=/docs`, 'ann');
    expect([page.status, page.url]).toEqual([200, `${api.url}/docs`]);
  });

  it('leads to where the configuration says', async () => {
    const urls = { loginSuccessUrl: 'https://inbox.example/in', logoutSuccessUrl: 'https://inbox.example/out' };
    await using api = await open(urls);
    const client = new CookieClient();
    const away = (url: string): boolean => url.startsWith('https:');
    expect((await logIn(client, `${api.url}/login?return_to=/docs`, 'ann', away)).url).toBe(urls.loginSuccessUrl);
    expect((await client.open(`${api.url}/logout`, {}, away)).url).toBe(urls.logoutSuccessUrl);
  });

  it('gives a cookie that no script and no other site gets', async () => {
    await using api = await open();
    const client = new CookieClient();
    const atCallback = (url: string): boolean => url.startsWith(`${api.url}/login/callback`);
    const { url } = await logIn(client, `${api.url}/login`, 'ann', atCallback);
    const answer = await client.once(url);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^parley_auth_token=\w{32}_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const db = api.system.open();
    const stored = JSON.stringify([
      db.prepare('SELECT * FROM user_session').all(),
      db.prepare('SELECT * FROM journal').all(),
    ]);
    db.close();
    expect(stored).not.toContain(cookie.slice(51, 94));
  });

  it('gives a cookie for https only where the hub is there', async () => {
    const config = configWith(provider.issuer);
    config.server.publicUrl = 'https://hub.example/';
    await using api = await startApi({ config });
    const answer = await new CookieClient().once(`${api.url}/login`);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^parley_login=.*; Path=\/login; .*HttpOnly; SameSite=Lax; Secure$/,
    );
    const redirect = new URL(answer.headers.get('location')!).searchParams.get('redirect_uri');
    expect(redirect).toBe('https://hub.example/login/callback');
  });

  it.each(['eve', 'mallory'])('is refused to %s, whose address is not allowed', async (account) => {
    await using api = await open();
    const client = new CookieClient();
    const page = await logIn(client, `${api.url}/login`, account);
    expect(page.status).toBe(403);
    expect(page.text).toContain('not among those allowed');
    expect(client.cookie(hostOf(api.url), 'parley_auth_token')).toBeUndefined();
    expect((await api.post<{ data: unknown[] }>('/users.list', {}, system)).body.data).toEqual([]);
  });

  it('begins at a host of the hub, or not at all', async () => {
    await using api = await open();
    const statusAt = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = get(`${api.url}/login`, { headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        request.on('error', reject);
      });
    expect([await statusAt('elsewhere.example'), await statusAt('localhost:1')]).toEqual([403, 302]);
  });

  it('is none without security.oidc', async () => {
    await using api = await startApi();
    const answer = await fetch(`${api.url}/login`);
    expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'feature_disabled' }]);
    const page = await new CookieClient().once(`${api.url}/login`);
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('security.oidc is not configured')]);
    expect(page.text).not.toContain('href');
  });
});

describe('the way back from the provider', () => {
  const callback = async (api: TestApi, client: CookieClient): Promise<string> =>
    (await logIn(client, `${api.url}/login`, 'ann', (url) => url.includes('/login/callback'))).url;

  it('ends in the browser that began only', async () => {
    await using api = await open();
    const url = await callback(api, new CookieClient());
    const other = new CookieClient();
    expect((await other.once(url)).status).toBe(401);
    await other.once(`${api.url}/login`);
    expect((await other.once(url)).status).toBe(401);
  });

  it('ends once', async () => {
    await using api = await open();
    const client = new CookieClient();
    const url = await callback(api, client);
    expect((await client.once(url)).status).toBe(302);
    expect((await client.once(url)).status).toBe(401);
  });

  it('ends within ten minutes', async () => {
    await using api = await open();
    const client = new CookieClient();
    const url = await callback(api, client);
    api.system.clock.set(10 * 60_000 + 1_000);
    const page = await client.once(url);
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('in the last ten minutes')]);
  });

  it('ends with a sentence where the user declined', async () => {
    await using api = await open();
    const client = new CookieClient();
    const { headers } = await client.once(`${api.url}/login`);
    const state = new URL(headers.get('location')!).searchParams.get('state')!;
    const query = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer });
    const page = await client.once(`${api.url}/login/callback?${query}`);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('declined at the identity provider')]);
  });

  it('shows nothing of what its address says', async () => {
    await using api = await open();
    const client = new CookieClient();
    const { headers } = await client.once(`${api.url}/login`);
    const state = new URL(headers.get('location')!).searchParams.get('state')!;
    const query = new URLSearchParams({
      error: '<script>',
      error_description: '<script>',
      state,
      iss: provider.issuer,
    });
    const page = await client.once(`${api.url}/login/callback?${query}`);
    expect(page.status).toBe(401);
    expect(page.text).not.toContain('<script>');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('a session', () => {
  it('ends with a logout, for copies of its cookie too', async () => {
    await using api = await open();
    const client = new CookieClient();
    await logIn(client, `${api.url}/login`, 'ann');
    const copy = { cookie: client.cookiesOf(hostOf(api.url)) };
    expect(await statusWith(api, copy)).toBe(200);
    await client.once(`${api.url}/logout`);
    expect(client.cookie(hostOf(api.url), 'parley_auth_token')).toBeUndefined();
    expect(await statusWith(api, copy)).toBe(401);
  });

  it('is ended by no one who only knows its id', async () => {
    await using api = await open();
    const headers = await cookieOf(api);
    const guess = headers.cookie.replace(/_[\w-]{43}$/, `_${'A'.repeat(43)}`);
    await fetch(`${api.url}/logout`, { headers: { cookie: guess }, redirect: 'manual' });
    expect(await statusWith(api, headers)).toBe(200);
  });

  it('is listed, and can be ended', async () => {
    await using api = await open();
    const [mine, hers] = [await cookieOf(api), await cookieOf(api, 'bea')];
    const list = async () => (await api.post<{ data: SessionJson[] }>('/sessions.list', {}, mine)).body.data;
    const [newest, ...others] = await list();
    expect(newest).toEqual({
      ...{ id: expect.any(String), user_id: userId('bea') },
      ...{ started_at: '2026-01-01T00:00:00.000Z', expires_at: '2026-01-01T12:00:00.000Z' },
    });
    expect((await api.post('/sessions.end', { id: newest!.id }, mine)).status).toBe(204);
    expect(await list()).toEqual(others);
    expect([await statusWith(api, mine), await statusWith(api, hers)]).toEqual([200, 401]);
    const nobodys = { id: '0192f3a4-7d8e-7f90-8b02-456789abcdef' };
    expect(refusalOf(await api.post('/sessions.end', nobodys, mine))).toEqual([404, 'not_found']);
  });

  it('is over after twelve hours', async () => {
    await using api = await open();
    const headers = await cookieOf(api);
    api.system.clock.set(12 * hour - 1);
    expect(await statusWith(api, headers)).toBe(200);
    api.system.clock.set(1);
    expect(await statusWith(api, headers)).toBe(401);
    expect((await api.post<{ data: unknown[] }>('/sessions.list', {}, system)).body.data).toEqual([]);
  });

  it('opens nothing with a letter changed', async () => {
    await using api = await open();
    const { cookie } = await cookieOf(api);
    const last = cookie.at(-1) === 'A' ? 'E' : 'A';
    for (const forged of [cookie.slice(0, -1) + last, cookie.slice(0, -1), `${cookie}A`, 'parley_auth_token=']) {
      expect(await statusWith(api, { cookie: forged })).toBe(401);
    }
  });

  it('makes no bad token good', async () => {
    await using api = await open();
    expect(await statusWith(api, { ...(await cookieOf(api)), Authorization: 'Bearer garbage' })).toBe(401);
  });

  it('is believed no longer when the provider is another', async () => {
    await using api = await open();
    const headers = await cookieOf(api);
    expect(await statusWith(api, headers)).toBe(200);
    api.config.security.oidc!.issuer = 'https://elsewhere.example';
    expect(await statusWith(api, headers)).toBe(401);
  });

  it('does not open the operations of sources', async () => {
    await using api = await open();
    const answer = await api.post('/sources.channels.list', {}, await cookieOf(api));
    expect(refusalOf(answer)).toEqual([401, 'unauthorized']);
  });

  it.each<[string, Record<string, string>, number]>([
    ['no page', {}, 200],
    ['a page of the hub', { origin: 'own' }, 200],
    ['a page of another site', { origin: 'https://elsewhere.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page that may call', { origin: 'https://inbox.example' }, 401],
    ['a form', { 'Content-Type': 'text/plain' }, 401],
    ['a form of the hub', { 'Content-Type': 'text/plain', origin: 'own' }, 415],
    ['another form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 401],
  ])('is believed or not, of %s', async (_, headers, status) => {
    const config = configWith(provider.issuer);
    config.security.allowedOrigins = ['https://inbox.example'];
    await using api = await startApi({ config });
    const own = headers['origin'] === 'own' ? { origin: api.url } : {};
    expect(await statusWith(api, { ...(await cookieOf(api)), ...headers, ...own })).toBe(status);
  });
});

describe('/users.list', () => {
  type Users = { data: UserJson[]; pagination_data: { next_cursor: string | null; total: number } };

  it('has who was seen last first, noted once a minute', async () => {
    await using api = await open();
    const ann = await cookieOf(api);
    api.system.clock.advance(30_000);
    await cookieOf(api, 'bea');
    const ids = async () => (await api.post<Users>('/users.list', {}, system)).body.data.map(({ id }) => id);
    expect(await ids()).toEqual([userId('bea'), userId('ann')]);
    await statusWith(api, ann);
    expect(await ids()).toEqual([userId('bea'), userId('ann')]);
    api.system.clock.advance(30_000);
    await statusWith(api, ann);
    await api.system.settle();
    const { body } = await api.post<Users>('/users.list', {}, system);
    expect(body.data).toEqual([
      {
        ...{ id: userId('ann'), name: 'Ann', avatar_url: 'https://pictures.example/ann.png' },
        ...{ first_seen_at: '2026-01-01T00:00:00.000Z', last_seen_at: '2026-01-01T00:01:00.000Z' },
      },
      expect.objectContaining({ id: userId('bea') }),
    ]);
    expect(body.pagination_data.total).toBe(2);
  });
});

describe('a path to return to', () => {
  it.each([
    ['/docs?a=b#c', '/docs?a=b#c'],
    ['/', '/'],
    [null, '/'],
    ['docs', '/'],
    ['https://evil.example', '/'],
    ['//evil.example/x', '/'],
    ['/\\evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['javascript:alert(1)', '/'],
  ])('of %j is %s', (asked, path) => {
    expect(pathOnHub(asked)).toBe(path);
  });
});
