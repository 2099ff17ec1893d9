import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CookieClient, logIn } from '../../_support/cookie-client.ts';
import { HubProcess, processSystemToken } from '../../_support/hub-process.ts';
import { oidcEnvironment, type RunningProvider, startProvider } from '../../_support/oidc-provider.ts';
import { anonymousSender, aTime, aUuid, type Listed } from './chapter.ts';

// The specification: “Authentication”, “User”, “Users”; decisions §3.
let provider: RunningProvider;
let hub: HubProcess;
/** The same hub without authentication, as it is by default. */
let open: HubProcess;
/** What Ann's browser sends. */
let ann: { cookie: string };

beforeAll(async () => {
  provider = await startProvider();
  [hub, open] = await Promise.all([HubProcess.start({ env: oidcEnvironment(provider.issuer) }), HubProcess.start()]);
  const client = new CookieClient();
  await logIn(client, `${hub.url}/login`, 'ann');
  ann = { cookie: client.cookiesOf(new URL(hub.url).host) };
}, 40_000);
afterAll(async () => {
  await Promise.all([hub, open, provider].map((part) => part?.[Symbol.asyncDispose]()));
});

const system = { Authorization: `Bearer ${processSystemToken}` };
const post = <T = unknown>(operation: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  hub.post<T>(`/${operation}`, body, headers);
const unauthorized = { status: 401, body: { error: expect.any(String), code: 'unauthorized' } };
const forbidden = { status: 403, body: { error: expect.any(String), code: 'forbidden' } };

describe('the core API', () => {
  it('is open by default, and user_profile null', async () => {
    const { status, body } = await open.post('/client.config', {});
    expect([status, body]).toMatchObject([200, { user_profile: null }]);
  });

  it('needs a credential with security.authentication', async () => {
    expect(await post('contacts.list')).toMatchObject(unauthorized);
    expect(await post('contacts.list', {}, { Authorization: 'Bearer nonsense' })).toMatchObject(unauthorized);
  });

  it.each(['Bearer ', ''])('takes the system token behind %j', async (scheme) => {
    const headers = { Authorization: scheme + processSystemToken };
    expect((await post('contacts.list', {}, headers)).status).toBe(200);
  });

  it('takes an API key for the operations that it names', async () => {
    const asked = { name: 'CRM', operations: ['contacts.*'] };
    const { status, body } = await post<{ key: string }>('keys.create', asked, system);
    expect([status, body]).toMatchObject([201, { ...asked, id: aUuid, created_at: aTime, key: expect.any(String) }]);
    const key = { Authorization: `Bearer ${body.key}` };
    expect((await post('contacts.list', {}, key)).status).toBe(200);
    expect(await post('channels.list', {}, key)).toMatchObject(forbidden);
  });
});

describe('the cookie of a login', () => {
  it('is parley_auth_token, and opens the core API', async () => {
    expect(ann.cookie).toMatch(/(^|; )parley_auth_token=\w+/);
    expect((await post('contacts.list', {}, ann)).status).toBe(200);
  });

  it('names the user in user_profile', async () => {
    const { body } = await post('client.config', {}, ann);
    const id = `${new URL(provider.issuer).host}:ann`;
    const profile = { id, name: 'Ann', avatar_url: 'https://pictures.example/ann.png' };
    expect(body).toMatchObject({ user_profile: profile });
  });

  it('leads to the provider, with PKCE, state and nonce', async () => {
    const answer = await fetch(`${hub.url}/login`, { redirect: 'manual' });
    const { origin, searchParams } = new URL(answer.headers.get('location')!);
    expect([answer.status, origin]).toEqual([302, provider.issuer]);
    expect([...searchParams.keys()]).toEqual(expect.arrayContaining(['code_challenge', 'state', 'nonce']));
  });

  it('is over after GET /logout', async () => {
    const client = new CookieClient();
    await logIn(client, `${hub.url}/login`, 'bob');
    const cookie = { cookie: client.cookiesOf(new URL(hub.url).host) };
    expect((await post('contacts.list', {}, cookie)).status).toBe(200);
    await client.once(`${hub.url}/logout`);
    expect(await post('contacts.list', {}, cookie)).toMatchObject(unauthorized);
  });
});

describe('users.list', () => {
  it('answers the profiles of users that were here', async () => {
    const { body } = await post<Listed>('users.list', { page_size: 100 }, system);
    expect(body.pagination_data).toMatchObject({ previous_cursor: null, next_cursor: null });
    expect(body.data.find(({ id }) => id.endsWith(':ann'))).toEqual({
      ...{ id: `${new URL(provider.issuer).host}:ann`, first_seen_at: aTime, last_seen_at: aTime },
      ...{ name: 'Ann', avatar_url: 'https://pictures.example/ann.png' },
    });
  });
});

describe('the source API', () => {
  it('has its sources made by users, its data by their tokens', async () => {
    expect(await post('sources.create', { source_id: 'shop' })).toMatchObject(unauthorized);
    const { body } = await post<{ token: string }>('sources.create', { source_id: 'shop' }, system);
    const source = { Authorization: `Bearer ${body.token}` };
    const line = { source_channel_id: 'line', name: 'Line' };
    expect((await post('sources.channels.create', line, source)).status).toBe(200);
    expect(await post('sources.channels.create', line, system)).toMatchObject(forbidden);
    expect(await post('sources.list', {}, source)).toMatchObject(forbidden);
  });
});

describe('the sender of a Message', () => {
  /** Starts a conversation. @returns the sender of its message */
  async function senderOf(of: HubProcess, headers: Record<string, string>, admin: Record<string, string> = headers) {
    const source_id = `source-${Object.values(headers).join().length}`;
    const source = await of.post<{ token: string }>('/sources.create', { source_id }, admin);
    const as = { Authorization: source.body.token };
    const line = { source_channel_id: 'line', name: 'Line' };
    const channel = await of.post<{ id: string }>('/sources.channels.create', line, as);
    const start = { channel_id: channel.body.id, source_recipient_id: 'ann', message: {} };
    return (await of.post<{ sender: object }>('/messages.send', start, headers)).body.sender;
  }

  it('is the anonymous one without authentication', async () => {
    expect(await senderOf(open, {})).toEqual({ id: anonymousSender });
  });

  it('is <provider>:<user id> of who is logged in', async () => {
    const id = `${new URL(provider.issuer).host}:ann`;
    const sender = { id, name: 'Ann', avatar_url: 'https://pictures.example/ann.png' };
    expect(await senderOf(hub, ann)).toEqual(sender);
  });
});

describe('/ws.communication', () => {
  /** The first frame that answers CONNECT. */
  const answerTo = (headers: Record<string, string>, connect = '') =>
    new Promise<string>((resolve, reject) => {
      const socket = new WebSocket(`${hub.url.replace('http', 'ws')}/ws.communication`, ['v12.stomp'], { headers });
      socket.on('error', reject);
      socket.on('open', () => socket.send(`CONNECT\naccept-version:1.2\nhost:hub\n${connect}\n\0`));
      socket.on('message', (data) => {
        resolve(String(data).split('\n')[0]!);
        socket.terminate();
      });
    });

  it('takes the header, the cookie, or the CONNECT frame’s', async () => {
    expect(await answerTo(system)).toBe('CONNECTED');
    expect(await answerTo(ann)).toBe('CONNECTED');
    expect(await answerTo({}, `Authorization:Bearer ${processSystemToken}\n`)).toBe('CONNECTED');
    expect(await answerTo({})).toBe('ERROR');
  });
});
