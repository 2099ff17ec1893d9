import type { Config } from './config.ts';
import { isLoopback } from './loopback.ts';

/** What is wrong with values that are right each by itself. */
export interface Conflict {
  key: string;
  reason: string;
}

/** A check of values that belong together. A value that could not be read is absent: it is a problem already. */
type Check = (config: Partial<Config>) => Conflict | null;

const checks: readonly Check[] = [openToTheNetwork, openToAnyPage];

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
