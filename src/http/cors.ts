import type { IncomingMessage } from 'node:http';
import type { Config } from '#src/config/config.ts';
import { isForVisitors } from '#src/security/visitor-paths.ts';

const methods = 'GET, POST, OPTIONS';
const requestHeaders = 'Content-Type, Authorization, Idempotency-Key, X-Request-Id';
const exposedHeaders = 'X-Request-Id, X-Api-Version, X-Message-Id, Idempotency-Replayed, Retry-After, WWW-Authenticate';
/** Seconds for which a browser need not ask again: as long as any of them remembers. */
const remembered = 7_200;

/** What pages may do of the allowed origins. */
const allowed = {
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': requestHeaders,
  'Access-Control-Expose-Headers': exposedHeaders,
  'Access-Control-Max-Age': String(remembered),
};

/** The CORS headers of an answer (docs/api.md, "Authentication"); empty for origins that are not allowed. */
export function corsHeaders(config: Config, { url, headers }: Pick<IncomingMessage, 'url' | 'headers'>) {
  const { allowedOrigins } = config.security;
  const { origin } = headers;
  // The same for every page, so that a cache may keep it for all.
  if (isForVisitors(url)) return { 'Access-Control-Allow-Origin': '*', ...allowed };
  if (origin === undefined || allowedOrigins.length === 0) return {};
  const named = allowedOrigins.includes(origin);
  if (!named && !allowedOrigins.includes('*')) return {};
  return {
    'Access-Control-Allow-Origin': named ? origin : '*',
    // Anyone's page may call, but never with the credentials of its reader.
    ...(named && { 'Access-Control-Allow-Credentials': 'true' }),
    ...allowed,
    Vary: 'Origin',
  };
}
