import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { TestApi } from '../_support/api.ts';
import { CookieClient, logIn } from '../_support/cookie-client.ts';
import { type RunningProvider, startProvider } from '../_support/oidc-provider.ts';
import { hostOf, openAt, system } from './login-support.ts';

let provider: RunningProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider[Symbol.asyncDispose]());

/** Follows all events. @returns when it follows: what it got, and the code with which its socket is closed */
async function follow(api: TestApi, headers: Record<string, string>) {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/ws.communication`, 'v12.stomp', { headers });
  const frames: string[] = [];
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const subscribed = new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => {
      const frame = String(data);
      frames.push(frame);
      if (frame.startsWith('CONNECTED')) {
        socket.send('SUBSCRIBE\nid:1\ndestination:/events\nreceipt:subscribed\n\n\0');
      }
      if (frame.startsWith('RECEIPT')) resolve();
    });
    socket.on('error', reject);
    void closed.then((code) => reject(new Error(`closed: ${code}`)));
  });
  subscribed.catch(() => {});
  socket.on('open', () => socket.send('CONNECT\naccept-version:1.2\n\n\0'));
  await subscribed;
  return { closed, frames, close: () => socket.close() };
}

/** Something happens that all followers are told. */
const happen = (api: TestApi, name: string) => api.post('/tags.create', { name, color: 'tag-red' }, system);

/** The clock stands still, so nobody looks but for what they are told. */
async function closedBy(api: TestApi, headers: Record<string, string>, end: () => Promise<unknown>): Promise<void> {
  const other = await follow(api, system);
  const ended = await follow(api, headers);
  await happen(api, 'before');
  await end();
  expect(await ended.closed).toBe(1008);
  await happen(api, 'after');
  await expect.poll(() => other.frames.join().includes('after')).toBe(true);
  expect([ended.frames.join().includes('before'), ended.frames.join().includes('after')]).toEqual([true, false]);
  other.close();
}

describe('an open socket', () => {
  it('is closed when its key is revoked', async () => {
    await using api = await openAt(provider);
    const made = { name: 'CRM', operations: ['events.list'] };
    const { body } = await api.post<{ id: string; key: string }>('/keys.create', made, system);
    const revoke = () => api.post('/keys.revoke', { id: body.id }, system);
    await closedBy(api, { Authorization: `Bearer ${body.key}` }, revoke);
  });

  it('is closed when its session is ended by somebody else', async () => {
    await using api = await openAt(provider);
    const client = new CookieClient();
    await logIn(client, `${api.url}/login`, 'ann');
    const [session] = (await api.post<{ data: { id: string }[] }>('/sessions.list', {}, system)).body.data;
    const end = () => api.post('/sessions.end', { id: session!.id }, system);
    await closedBy(api, { cookie: client.cookiesOf(hostOf(api.url)) }, end);
  });

  it('is closed with a logout', async () => {
    await using api = await openAt(provider);
    const client = new CookieClient();
    await logIn(client, `${api.url}/login`, 'ann');
    const cookie = client.cookiesOf(hostOf(api.url));
    await closedBy(api, { cookie }, () => client.once(`${api.url}/logout`));
  });
});
