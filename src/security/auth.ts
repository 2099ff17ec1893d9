import { createHash, timingSafeEqual } from 'node:crypto';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import { apiKeyHash, apiKeyIdOf } from './api-key.ts';
import { type Agent, anonymous, type CallerOf, type KeyHolder, type Scope, type SourceCaller } from './caller.ts';
import type { Sightings } from './sightings.ts';

/** What a caller shows: headers of a request or of a frame. */
export interface Credentials {
  authorization?: string | undefined;
  /** Never of a page that may not act with its reader's credentials. */
  cookie?: string | undefined;
}

export interface Auth {
  /**
   * Who shows these credentials at the door of a scope.
   * @throws Failure `unauthorized`, `forbidden`
   */
  identify<S extends Scope>(scope: S, credentials: Credentials): CallerOf<S> | Promise<CallerOf<S>>;
}

/** For each scope, who a token says the caller is; null: there is no token. */
type Doors = { [S in Scope]: (token: string | null) => CallerOf<S> | Promise<CallerOf<S>> };

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const unauthorized = (what: string): Failure =>
  new Failure('unauthorized', `${what} Send it in the Authorization header, with or without "Bearer ".`);

/** @param sightings notes which keys are used */
export function createAuth(
  services: Pick<Services, 'config' | 'store' | 'tokens'>,
  sightings: Pick<Sightings, 'keyUsed'>,
): Auth {
  const { tokens, store } = services;
  const { security } = services.config;
  // Hashes have one length, so that the comparison takes the same time for every guess.
  const systemToken = sha256(security.systemToken.reveal());
  const system: Agent = { kind: 'agent', sender: { id: `system-token-${systemToken.toString('hex').slice(0, 4)}` } };
  const isSystemToken = (token: string): boolean => timingSafeEqual(sha256(token), systemToken);

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

  const core = async (token: string | null): Promise<Agent | KeyHolder> => {
    const named = token === null ? null : isSystemToken(token) ? system : keyHolder(token);
    if (named !== null) return named;
    if (!security.authentication) return { kind: 'agent', sender: anonymous };
    if (token === null) throw unauthorized('This operation needs the system token or an API key.');
    if ((await tokens.verify(token)) !== null) {
      throw new Failure('forbidden', 'A source token opens only sources.channels.* and sources.webhook.');
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
      throw unauthorized('The source of this token was deleted.');
    }
    return { kind: 'source', sourceId, sender: { id: sourceId } };
  };

  const doors: Doors = { core, source, public: () => ({ kind: 'anyone' }) };
  return { identify: (scope, { authorization }) => doors[scope](tokenOf(authorization)) };
}

/** Takes the same time for every guess: hashes have one length. */
const isSameText = (given: string, kept: string): boolean => timingSafeEqual(sha256(given), sha256(kept));

function tokenOf(authorization: string | undefined): string | null {
  const token = authorization?.replace(/^bearer +/i, '').trim() ?? '';
  return token === '' ? null : token;
}
