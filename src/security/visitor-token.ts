import { createSecretKey, type KeyObject } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';

/** What a visitor's token names: the one conversation that its holder has. */
export interface VisitClaims {
  conversationId: string;
  channelId: string;
  /** The visitor as the source knows them: the source's own id of the conversation. */
  contact: string;
}

/** `visit` opens operations and the socket; `resume` is exchanged for another `visit`. */
export type VisitTokenUse = 'visit' | 'resume';

interface TokenKind {
  type: string;
  audience: string;
  /** Seconds. */
  lifetime: number;
}

const kinds: Record<VisitTokenUse, TokenKind> = {
  visit: { type: 'parley-visitor+jwt', audience: 'parley:chatplugin', lifetime: 60 * 60 },
  resume: { type: 'parley-visitor-resume+jwt', audience: 'parley:chatplugin-resume', lifetime: 7 * 24 * 60 * 60 },
};

/** Makes and verifies the tokens of visitors: JWT, HS256, each of its use only (docs/api.md, "Chat plugin"). */
export class VisitorTokens {
  readonly #key: KeyObject;
  readonly #clock: Pick<Clock, 'now'>;

  constructor({ security }: Pick<Config, 'security'>, clock: Pick<Clock, 'now'>) {
    this.#key = createSecretKey(Buffer.from(security.jwtSecret.reveal(), 'utf8'));
    this.#clock = clock;
  }

  make(use: VisitTokenUse, { conversationId, channelId, contact }: VisitClaims): Promise<string> {
    const { type, audience, lifetime } = kinds[use];
    const now = Math.floor(this.#clock.now() / 1_000);
    return new SignJWT({ conversation_id: conversationId, channel_id: channelId })
      .setProtectedHeader({ alg: 'HS256', typ: type })
      .setSubject(contact)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetime)
      .sign(this.#key);
  }

  /** The claims of a token, with when it ends (epoch ms); null when it is none of this hub and this use, or over. */
  async verify(use: VisitTokenUse, token: string): Promise<(VisitClaims & { until: number }) | null> {
    const { type: typ, audience } = kinds[use];
    const currentDate = new Date(this.#clock.now());
    try {
      const { payload } = await jwtVerify(token, this.#key, { typ, audience, algorithms: ['HS256'], currentDate });
      const { conversation_id: conversationId, channel_id: channelId, sub: contact, exp } = payload;
      if (typeof conversationId !== 'string' || typeof channelId !== 'string') return null;
      if (contact === undefined || exp === undefined) return null;
      return { conversationId, channelId, contact, until: exp * 1_000 };
    } catch {
      return null;
    }
  }
}
