import type { IncomingMessage } from 'node:http';
import { requestCause } from '#actors/cause.ts';
import { Failure } from '#actors/errors.ts';
import { userActorId } from '#actors/ids.ts';
import { loginCookie, loginLifetime, openLogin, sealLogin } from '#src/security/begun-login.ts';
import { cookieIn, sessionCookie, setCookie } from '#src/security/cookies.ts';
import type { Gate } from '#src/security/gate.ts';
import { newSessionToken, sessionHash, sessionIdOf, sessionLifetime } from '#src/security/session-token.ts';
import type { Services } from '#src/services.ts';
import { addressOf } from '../address.ts';
import type { Route } from '../door.ts';
import { answered, type HandlerParts } from '../handle.ts';
import type { Outgoing } from '../outgoing.ts';
import { readable } from './page.ts';

export interface LoginParts extends HandlerParts {
  gate: Gate;
}

type Step = (parts: LoginParts, request: IncomingMessage, requestId: string) => Promise<Outgoing>;

/** Where people log in and out, with a browser (docs/api.md, "Authentication"). */
export const loginRoutes = (parts: LoginParts): Route[] => [
  route(parts, '/login', begin),
  route(parts, '/login/callback', complete),
  route(parts, '/logout', end),
];

const route = (parts: LoginParts, path: string, step: Step): Route => ({
  path,
  works: new Map([
    [
      'GET',
      (request, requestId) =>
        answered(parts, { login: path }, requestId, () => readable(request, () => step(parts, request, requestId))),
    ],
  ]),
});

/** Sends the browser to the identity provider. What has to be the same when it comes back, the browser keeps. */
const begin: Step = async ({ services, gate }, request) => {
  const base = baseOf(services, gate, request);
  const asked = URL.parse(request.url ?? '', base)?.searchParams;
  const choosing = asked?.get('prompt') === 'select_account';
  const { url, checks } = await providerOf(services).begin(callbackAt(base), choosing);
  const returnTo = pathOnHub(asked?.get('return_to') ?? null);
  const { jwtSecret } = services.config.security;
  const sealed = await sealLogin(jwtSecret, { ...checks, returnTo }, services.clock.now());
  const cookie = { path: '/login', maxAge: loginLifetime, secure: isSecure(base) };
  return redirect(url.href, setCookie(loginCookie, sealed, cookie));
};

/** Takes the browser back: a session begins, or a sentence says why not. */
const complete: Step = async ({ services, gate }, request, requestId) => {
  const base = baseOf(services, gate, request);
  const { config, clock, ids } = services;
  const sealed = cookieIn(request.headers.cookie, loginCookie) ?? '';
  const login = await openLogin(config.security.jwtSecret, sealed, clock.now());
  if (login === null) {
    throw new Failure('unauthorized', 'No login was begun in this browser in the last ten minutes. Log in again.');
  }
  const search = URL.parse(request.url ?? '', base)?.search ?? '';
  const profile = await providerOf(services).complete(new URL(callbackAt(base) + search), login);
  const session = ids.uuid();
  const token = newSessionToken(session);
  const user = userActorId(profile.userId);
  const commands = services.commandsFor({ cause: requestCause(`agent ${profile.userId}`, requestId) });
  await commands.send('user', user, 'user.log-in', profile);
  const expiresAt = clock.now() + sessionLifetime;
  await commands.send('user-session', session, 'session.start', { hash: sessionHash(token), user, expiresAt });
  const cookie = { path: '/', maxAge: sessionLifetime / 1_000, secure: isSecure(base) };
  const goal = config.security.oidc?.loginSuccessUrl || base + login.returnTo;
  return redirect(goal, setCookie(sessionCookie, token, cookie));
};

/** Ends the session of the browser's cookie, if it has one: only who has the whole cookie can. */
const end: Step = async ({ services, gate }, request, requestId) => {
  const base = baseOf(services, gate, request);
  const token = cookieIn(request.headers.cookie, sessionCookie) ?? '';
  const id = sessionIdOf(token);
  const session = id === null ? null : services.store.sessions.find(id);
  if (session?.hash === sessionHash(token)) {
    const cause = requestCause(`agent ${session.user.id}`, requestId);
    await services.commandsFor({ cause }).send('user-session', session.id, 'session.end', null);
  }
  const goal = services.config.security.oidc?.logoutSuccessUrl || `${base}/`;
  return redirect(goal, setCookie(sessionCookie, '', { path: '/', maxAge: 0, secure: isSecure(base) }));
};

function providerOf({ identityProvider }: Services): NonNullable<Services['identityProvider']> {
  if (identityProvider !== null) return identityProvider;
  throw new Failure('feature_disabled', 'Nobody can log in here: security.oidc is not configured.');
}

/** Where the browser has the hub, without a slash at the end. @throws Failure when nobody knows */
function baseOf({ config: { server } }: Services, gate: Gate, { headers }: IncomingMessage): string {
  if (server.publicUrl !== '' || gate.knowsHost(headers)) return addressOf(server, headers);
  throw new Failure('forbidden', 'The Host header names no host of this hub. Set server.publicUrl to the name it has.');
}

const callbackAt = (base: string): string => `${base}/login/callback`;

const isSecure = (base: string): boolean => base.startsWith('https:');

/** A path of this hub as it was asked for; `/` for anything that leads elsewhere. */
export function pathOnHub(asked: string | null): string {
  const here = 'http://hub.invalid';
  const url = asked?.startsWith('/') ? URL.parse(asked, here) : null;
  if (url?.origin !== here || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}

const redirect = (location: string, cookie: string): Outgoing => ({
  status: 302,
  body: null,
  headers: { Location: location, 'Set-Cookie': cookie, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
});
