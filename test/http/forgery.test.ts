import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userActorId } from '#actors/ids.ts';
import { operations } from '#src/http/operations.ts';
import { sessionCookie } from '#src/security/cookies.ts';
import { newSessionToken, sessionHash } from '#src/security/session-token.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { configWith } from '../_support/oidc-provider.ts';

let api: TestApi;
let cookie: string;
beforeAll(async () => {
  api = await startApi({ config: configWith('https://id.example') });
  api.dispatch();
  const [id, userId] = [randomUUID(), 'id.example:ann'];
  const token = newSessionToken(id);
  await api.commands.send('user', userActorId(userId), 'user.log-in', { userId });
  const login = { hash: sessionHash(token), user: userActorId(userId), expiresAt: api.system.clock.now() + 3_600_000 };
  await api.commands.send('user-session', id, 'session.start', login);
  cookie = `${sessionCookie}=${token}`;
});
afterAll(() => api[Symbol.asyncDispose]());

/** What another site can have the browser of somebody send who is logged in: the status of the refusal. */
const forgeries: [what: string, headers: Record<string, string>, status: number][] = [
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 401],
  ['a form of text', { 'Content-Type': 'text/plain' }, 401],
  ['a form with a file', { 'Content-Type': 'multipart/form-data; boundary=a' }, 401],
  ['a form of another site', { 'Content-Type': 'text/plain', origin: 'https://elsewhere.example' }, 403],
  ['a page of another site', { 'Content-Type': 'application/json', origin: 'https://elsewhere.example' }, 403],
  ['a page of a like name', { 'Content-Type': 'application/json', origin: 'http://127.0.0.1.example' }, 403],
  ['a page in a sandbox', { 'Content-Type': 'application/json', origin: 'null' }, 403],
];

const writing = operations.filter(({ isRead, auth }) => !isRead && auth === 'core');

describe.each(writing.map((operation) => [operation.path, operation] as const))(
  '%s',
  (path, { example, takesFile, aliases = [] }) => {
    const file = `--a\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'a'.repeat(9)}\r\n--a--\r\n`;
    const body = takesFile ? file : JSON.stringify(example);
    const statusOf = async (headers: Record<string, string>, at: string = path): Promise<number> => {
      const response = await fetch(api.url + at, { method: 'POST', headers: { cookie, ...headers }, body });
      await response.arrayBuffer();
      return response.status;
    };

    it('does nothing that another site asks for', async () => {
      const sent = api.sent.length;
      for (const at of [path, ...aliases]) {
        for (const [what, headers, status] of forgeries) {
          expect([what, at, await statusOf(headers, at)]).toEqual([what, at, status]);
        }
      }
      expect(api.sent.slice(sent)).toEqual([]);
    });

    it('does what a page of the hub asks for', async () => {
      const type = takesFile ? 'multipart/form-data; boundary=a' : 'application/json';
      expect([401, 403]).not.toContain(await statusOf({ 'Content-Type': type, origin: api.url }));
    });
  },
);
