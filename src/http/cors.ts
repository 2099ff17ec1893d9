import type { Config } from '#src/config/config.ts';

const methods = 'GET, POST, OPTIONS';
const requestHeaders = 'Content-Type, Authorization, Idempotency-Key, X-Request-Id';
const exposedHeaders = 'X-Request-Id, X-Api-Version, X-Message-Id, Idempotency-Replayed, Retry-After, WWW-Authenticate';
/** Seconds for which a browser need not ask again: as long as any of them remembers. */
const remembered = 7_200;

/** The CORS headers of an answer (docs/api.md, "Authentication"); empty for origins that are not allowed. */
export function corsHeaders(config: Config, origin: string | undefined): Record<string, string> {
  const { allowedOrigins } = config.security;
  if (origin === undefined || allowedOrigins.length === 0) return {};
  const named = allowedOrigins.includes(origin);
  if (!named && !allowedOrigins.includes('*')) return {};
  return {
    'Access-Control-Allow-Origin': named ? origin : '*',
    // Anyone's page may call, but never with the credentials of its reader.
    ...(named && { 'Access-Control-Allow-Credentials': 'true' }),
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Expose-Headers': exposedHeaders,
    'Access-Control-Max-Age': String(remembered),
    Vary: 'Origin',
  };
}
