import type { IncomingMessage } from 'node:http';
import type { Config } from '#src/config/config.ts';

/**
 * Whether a page may open the WebSocket (docs/api.md, "Authentication"): `own` with its cookies, `anyone` (by `*`)
 * without. No `Origin` header: not a browser, which is as good as our own page.
 */
export type OriginVerdict = 'own' | 'anyone' | 'refused';

/** The part of the configuration that the decision needs. */
export interface OriginRules {
  security: Pick<Config['security'], 'allowedOrigins'>;
  server: Pick<Config['server'], 'publicUrl'>;
}

export function judgeOrigin(
  { origin, host }: Pick<IncomingMessage['headers'], 'origin' | 'host'>,
  { security, server }: OriginRules,
): OriginVerdict {
  if (origin === undefined || security.allowedOrigins.includes(origin)) return 'own';
  const url = URL.parse(origin);
  if (url && (url.host === host || url.origin === URL.parse(server.publicUrl)?.origin)) return 'own';
  return security.allowedOrigins.includes('*') ? 'anyone' : 'refused';
}
