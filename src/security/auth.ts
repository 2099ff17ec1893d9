import { createHash, timingSafeEqual } from 'node:crypto';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { apiKeyHash, apiKeyIdOf } from './api-key.ts';
import { type Agent, anonymous, type CallerOf, type KeyHolder, type Scope } from './caller.ts';
import type { SourceCaller, Visitor } from './caller.ts';
import { cookieIn, sessionCookie } from './cookies.ts';
import { providerName } from './provider-name.ts';
import { sessionHash, sessionIdOf } from './session-token.ts';
import type { Sightings } from './sightings.ts';
import { visitorBy } from './visitor-door.ts';

/** What a caller shows: headers of a request or of a frame. */
export interface Credentials {
  authorization?: string | undefined;
  /** Never of a page that may not act with its reader's cookies. */
  cookie?: string | undefined;
}

export interface Auth {
  /**
   * Who shows these credentials at the door of a scope.
   * @throws Failure `unauthorized`, `forbidden`
   */
  identify<S extends Scope>(scope: S, credentials: Credentials): CallerOf<S> | Promise<CallerOf<S>>;
}

/** For each scope, who the caller is by a token and a session's cookie; null: there is none. */
type Doors = { [S in Scope]: (token: string | null, session: string | null) => CallerOf<S> | Promise<CallerOf<S>> };

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const unauthorized = (what: string): Failure =>
  new Failure('unauthorized', `${what} Send it in the Authorization header, with or without "Bearer ".`);

/** @param sightings notes which keys are used, and who called */
export function createAuth(
  services: Pick<Services, 'config' | 'store' | 'tokens' | 'visitorTokens' | 'clock'>,
  sightings: Pick<Sightings, 'keyUsed' | 'userCalled'>,
): Auth {
  const { tokens, visitorTokens, store, clock } = services;
  const { security } = services.config;
  // Hashes have one length, so that the comparison takes the same time for every guess.
  const systemToken = sha256(security.systemToken.reveal());
  const system: Agent = { kind: 'agent', sender: { id: `system-token-${systemToken.toString('hex').slice(0, 4)}` } };
  const isSystemToken = (token: string): boolean => timingSafeEqual(sha256(token), systemToken);

  const orLogin = security.oidc === undefined ? '' : ' or a login (/login)';

  const keyHolder = (token: string): KeyHolder | null => {
    const id = apiKeyIdOf(token);
    const found = id === null ? null : store.apiKeys.find(id);
    if (found === null || !isSameText(apiKeyHash(token), found.hash)) return null;
    const { key } = found;
    sightings.keyUsed(key.id, key.last_used_at);
    return {
      kind: 'key',
      keyId: key.id,
      sender: { id: `api-key:${key.id}`, name: key.name },
      operations: key.operations,
      sources: key.sources === undefined ? null : new Set(key.sources),
    };
  };

  /** Of a session that the provider of today has begun. */
  const user = (cookie: string): Agent | null => {
    const id = sessionIdOf(cookie);
    const found = id === null ? null : store.sessions.find(id);
    if (found === null || !isSameText(sessionHash(cookie), found.hash) || found.expiresAt <= clock.now()) return null;
    if (security.oidc === undefined || !found.user.id.startsWith(`${providerName(security.oidc)}:`)) return null;
    sightings.userCalled(found.user.id, found.user.last_seen_at);
    const { id: userId, name, avatar_url } = found.user;
    return {
      kind: 'agent',
      sender: { id: userId, ...(name !== undefined && { name }), ...(avatar_url !== undefined && { avatar_url }) },
    };
  };

  /** A token goes before a cookie, which browsers send unasked; a bad one is not made good by it. */
  const namedBy = (token: string | null, session: string | null): Agent | KeyHolder | null => {
    if (token !== null) return isSystemToken(token) ? system : keyHolder(token);
    return session === null ? null : user(session);
  };

  const core = async (token: string | null, session: string | null): Promise<Agent | KeyHolder> => {
    const named = namedBy(token, session);
    if (named !== null) return named;
    if (!security.authentication) return { kind: 'agent', sender: anonymous };
    if (token === null) throw unauthorized(`This operation needs the system token, an API key${orLogin}.`);
    if ((await tokens.verify(token)) !== null) {
      throw new Failure('forbidden', 'A source token opens only sources.channels.* and sources.webhook.');
    }
    if ((await visitorTokens.verify('visit', token)) !== null) {
      throw new Failure('forbidden', 'The token of a visitor opens the visitor’s own conversation only.');
    }
    throw unauthorized('The token is neither the system token nor a valid API key of this hub.');
  };

  const source = async (token: string | null): Promise<SourceCaller> => {
    if (token === null) throw unauthorized('This operation needs a source token, from sources.create.');
    const claims = await tokens.verify(token);
    if (claims === null) {
      if (isSystemToken(token) || keyHolder(token) !== null)
        throw new Failure('forbidden', 'This operation needs a source token, not a credential of the core API.');
      throw unauthorized('The token is not a source token of this hub.');
    }
    const { sourceId, issuedAt } = claims;
    if (store.sources.find(sourceId)?.issuedAt !== issuedAt) {
      throw new Failure(
        'unauthorized',
        'The source of this token was deleted. One that is created anew has a new token.',
      );
    }
    return { kind: 'source', sourceId, sender: { id: sourceId } };
  };

  const visitor = async (token: string | null): Promise<Visitor> => {
    if (token === null) throw unauthorized('This operation needs the token of a visitor.');
    const found = await visitorBy(services, 'visit', token);
    if (found !== null) return found;
    if (isSystemToken(token) || keyHolder(token) !== null || (await tokens.verify(token)) !== null) {
      throw new Failure('forbidden', 'This operation needs the token of a visitor, not another credential.');
    }
    throw unauthorized('The token is not one of a visitor of this hub, or it is over.');
  };

  const doors: Doors = {
    ...{ core, source, visitor },
    'visitor-or-system': (token) => (token !== null && isSystemToken(token) ? system : visitor(token)),
    public: () => ({ kind: 'anyone' }),
  };
  return {
    identify: (scope, { authorization, cookie }) =>
      doors[scope](tokenOf(authorization), cookieIn(cookie, sessionCookie)),
  };
}

/** Takes the same time for every guess: hashes have one length. */
const isSameText = (given: string, kept: string): boolean => timingSafeEqual(sha256(given), sha256(kept));

function tokenOf(authorization: string | undefined): string | null {
  const token = authorization?.replace(/^bearer +/i, '').trim() ?? '';
  return token === '' ? null : token;
}
