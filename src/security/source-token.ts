import { createSecretKey, type KeyObject } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Config } from '#src/config/config.ts';

/** What tells a source token from every other token of the hub. */
const type = 'parley-source+jwt';
const audience = 'parley:source';
/** Tokens kept in memory, verified or made: far more than sources that talk at the same time. */
const remembered = 10_000;

export interface SourceClaims {
  sourceId: string;
  /** Epoch seconds; a token is good only while its source was issued at that second. */
  issuedAt: number;
}

/** Makes and verifies the tokens of sources: JWT, HS256, without expiry (docs/api.md, "Authentication"). */
export class SourceTokens {
  readonly #key: KeyObject;
  readonly #verified = new Map<string, SourceClaims>();
  readonly #made = new Map<string, string>();

  constructor(config: Config) {
    this.#key = createSecretKey(Buffer.from(config.security.jwtSecret.reveal(), 'utf8'));
  }

  /** The one token of a source: the same claims always give the same text, so it need not be stored. */
  async make({ sourceId, issuedAt }: SourceClaims): Promise<string> {
    const name = `${issuedAt} ${sourceId}`;
    let token = this.#made.get(name);
    if (token === undefined) {
      token = await new SignJWT({ source_id: sourceId })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .sign(this.#key);
      remember(this.#made, name, token);
    }
    return token;
  }

  /** The claims of a token, null when it is not a source token of this hub. Whether its source exists is not asked. */
  async verify(token: string): Promise<SourceClaims | null> {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    try {
      const { payload } = await jwtVerify(token, this.#key, { typ: type, audience, algorithms: ['HS256'] });
      const { source_id: sourceId, iat: issuedAt } = payload;
      if (typeof sourceId !== 'string' || typeof issuedAt !== 'number') return null;
      const claims = { sourceId, issuedAt };
      remember(this.#verified, token, claims);
      return claims;
    } catch {
      return null;
    }
  }
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size >= remembered) map.clear();
  map.set(key, value);
}

const byConfig = new WeakMap<Config, SourceTokens>();

/** The tokens of the hub with this configuration: one instance, so that all share what is remembered. */
export function sourceTokensOf(config: Config): SourceTokens {
  let tokens = byConfig.get(config);
  if (tokens === undefined) {
    tokens = new SourceTokens(config);
    byConfig.set(config, tokens);
  }
  return tokens;
}
