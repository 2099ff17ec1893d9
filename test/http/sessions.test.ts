import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionJson, UserJson } from '#actors/representation.ts';
import { refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { CookieClient, logIn } from '../_support/cookie-client.ts';
import { configWith, type RunningProvider, startProvider } from '../_support/oidc-provider.ts';
import { cookieOf, hostOf, openAt, system, userIdAt } from './login-support.ts';

let provider: RunningProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider[Symbol.asyncDispose]());

const open = () => openAt(provider);
const userId = (account: string): string => userIdAt(provider, account);
const hour = 60 * 60 * 1_000;

const statusWith = async (api: TestApi, headers: Record<string, string>): Promise<number> =>
  (await api.post('/channels.list', {}, headers)).status;

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
