import type { Config } from './config.ts';
import { isLoopback } from './loopback.ts';

/** What is wrong with values that are right each by itself. */
export interface Conflict {
  key: string;
  reason: string;
}

/** A check of values that belong together. A value that could not be read is absent: it is a problem already. */
type Check = (config: Partial<Config>) => Conflict | null;

const checks: readonly Check[] = [
  openToTheNetwork,
  openToAnyPage,
  guessableSecret,
  sharedSecret,
  plainIssuer,
  scopeWithoutOpenid,
];

/** Everything that is wrong with values together. */
export const checkTogether = (config: Partial<Config>): Conflict[] =>
  checks.map((check) => check(config)).filter((conflict) => conflict !== null);

/** An open API may only be reached from this machine, unless somebody said that it is meant so. */
function openToTheNetwork({ server, security }: Partial<Config>): Conflict | null {
  if (!server?.host || isLoopback(server.host)) return null;
  if (security?.authentication !== false || security.allowUnauthenticated !== false) return null;
  return {
    key: 'server.host',
    reason:
      'opens the API to the network without authentication: set security.authentication: true ' +
      '(or security.allowUnauthenticated: true if it is meant so)',
  };
}

/** On any machine that runs an open hub, every page that its user looks at would be an agent. */
function openToAnyPage({ security }: Partial<Config>): Conflict | null {
  if (security?.authentication !== false || !security.allowedOrigins?.includes('*')) return null;
  return {
    key: 'security.allowedOrigins',
    reason: 'lets any web page use an open API: name the origins, or set security.authentication: true',
  };
}

/** Long enough, and still nothing that anybody would have to guess. */
function guessableSecret({ security }: Partial<Config>): Conflict | null {
  const name = (['jwtSecret', 'systemToken'] as const).find((secret) => isOneCharacter(security?.[secret]?.reveal()));
  return name === undefined ? null : { key: `security.${name}`, reason: 'is one character again and again' };
}

const isOneCharacter = (text: string | undefined): boolean => text !== undefined && new Set(text).size === 1;

/** Who may call the API must not be able to make the tokens of all sources. */
function sharedSecret({ security }: Partial<Config>): Conflict | null {
  const jwtSecret = security?.jwtSecret?.reveal();
  if (jwtSecret === undefined || jwtSecret !== security?.systemToken?.reveal()) return null;
  return { key: 'security.systemToken', reason: 'is the same as security.jwtSecret: make one of them anew' };
}

/** What an identity provider says over the network in plain text could be said by anybody on the way. */
function plainIssuer({ security }: Partial<Config>): Conflict | null {
  const issuer = URL.parse(security?.oidc?.issuer ?? '');
  if (issuer === null || issuer.protocol === 'https:' || isLoopback(issuer.hostname)) return null;
  return { key: 'security.oidc.issuer', reason: 'must be an https:// address, unless the provider is on this machine' };
}

/** Without it a provider gives no ID token, and nobody could log in. */
function scopeWithoutOpenid({ security }: Partial<Config>): Conflict | null {
  const scope = security?.oidc?.scope;
  if (scope === undefined || scope.split(' ').includes('openid')) return null;
  return { key: 'security.oidc.scope', reason: 'must hold openid' };
}
