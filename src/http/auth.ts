import { createHash, timingSafeEqual } from 'node:crypto';
import type { Sender } from '#actors/conversation/contract.ts';
import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';
import type { AuthScope } from './operation.ts';

/** Who writes messages on an instance without authentication (decisions.md §1). */
export const anonymous: Sender = { id: 'parley-core-anonymous' };

/** Who calls: the sender of its messages, and the source when it is one. */
export interface Identity {
  sender: Sender;
  sourceId: string;
}

export interface Auth {
  /** @throws Failure `unauthorized`, `forbidden` */
  identify(scope: AuthScope, authorization: string | undefined): Identity | Promise<Identity>;
  /** Whether credentials open the core API: for WebSockets. */
  allows(credentials: { authorization?: string }): boolean;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const unauthorized = (what: string): Failure =>
  new Failure('unauthorized', `${what} Send it in the Authorization header, with or without "Bearer ".`);

export function createAuth(services: Pick<Services, 'config' | 'store' | 'tokens'>): Auth {
  const { tokens } = services;
  const { security } = services.config;
  // Hashes have one length, so that the comparison takes the same time for every guess.
  const systemToken = sha256(security.systemToken.reveal());
  const systemSender: Sender = { id: `system-token-${systemToken.toString('hex').slice(0, 4)}` };
  const isSystemToken = (token: string): boolean => timingSafeEqual(sha256(token), systemToken);

  const core = async (token: string | null): Promise<Identity> => {
    if (token !== null && isSystemToken(token)) return { sender: systemSender, sourceId: '' };
    if (!security.authentication) return { sender: anonymous, sourceId: '' };
    if (token === null) throw unauthorized('This operation needs the system token.');
    if ((await tokens.verify(token)) !== null) {
      throw new Failure('forbidden', 'A source token opens only sources.channels.* and sources.webhook.');
    }
    throw unauthorized('The token is not the system token of this hub.');
  };

  const source = async (token: string | null): Promise<Identity> => {
    if (token === null) throw unauthorized('This operation needs a source token, from sources.create.');
    const claims = await tokens.verify(token);
    if (claims === null) {
      if (isSystemToken(token))
        throw new Failure('forbidden', 'This operation needs a source token, not the system token.');
      throw unauthorized('The token is not a source token of this hub.');
    }
    if (services.store.sources.find(claims.sourceId)?.issuedAt !== claims.issuedAt) {
      throw unauthorized('The source of this token was deleted.');
    }
    return { sender: { id: claims.sourceId }, sourceId: claims.sourceId };
  };

  return {
    identify(scope, authorization) {
      if (scope === 'public') return { sender: anonymous, sourceId: '' };
      const token = tokenOf(authorization);
      return scope === 'source' ? source(token) : core(token);
    },
    allows({ authorization }) {
      if (!security.authentication) return true;
      const token = tokenOf(authorization);
      return token !== null && isSystemToken(token);
    },
  };
}

function tokenOf(authorization: string | undefined): string | null {
  const token = authorization?.replace(/^bearer +/i, '').trim() ?? '';
  return token === '' ? null : token;
}
