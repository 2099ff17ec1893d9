import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OidcConfig } from '#src/config/config.ts';
import { pathOnHub } from '#src/http/login/routes.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { CookieClient, logIn } from '../_support/cookie-client.ts';
import { configWith, type RunningProvider, startProvider } from '../_support/oidc-provider.ts';
import { cookieOf, hostOf, openAt, system, userIdAt } from './login-support.ts';

let provider: RunningProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider[Symbol.asyncDispose]());

const open = (oidc: Partial<OidcConfig> = {}) => openAt(provider, oidc);

describe('a login', () => {
  it('names the user, in the configuration and as sender', async () => {
    await using api = await open();
    const shop = await api.addSource('shop');
    const conversation_id = await shop.push('bob', 'hello');
    const headers = await cookieOf(api);
    const ann = { id: userIdAt(provider, 'ann'), name: 'Ann', avatar_url: 'https://pictures.example/ann.png' };
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

  it('is begun with another account by who was refused', async () => {
    await using api = await open();
    const client = new CookieClient();
    const refused = await logIn(client, `${api.url}/login`, 'mallory');
    // The provider goes on with whom it knows: nobody is asked for an account.
    expect((await client.open(`${api.url}/login`)).text).not.toContain('name="login"');
    const link = /<a href="([^"]+)"/.exec(refused.text)![1]!;
    const choice = await client.open(new URL(link, api.url).href);
    expect(choice.text).toContain('Choose an account');
    const page = await logIn(client, new URL(link, api.url).href, 'ann');
    expect([page.status, page.url]).toEqual([200, `${api.url}/docs`]);
  });

  it('asks for no choice otherwise, whatever its address says', async () => {
    await using api = await open();
    for (const query of ['', '?prompt=none', '?prompt=login']) {
      const { headers } = await new CookieClient().once(`${api.url}/login${query}`);
      expect(new URL(headers.get('location')!).searchParams.get('prompt')).toBeNull();
    }
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
