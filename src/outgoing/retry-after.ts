/**
 * Ms from a Retry-After header (RFC 9110, 10.2.3: seconds or an HTTP date), at least 0 and at most `longest` ms; null
 * without a readable one.
 */
export function retryAfterOf(header: string | string[] | undefined, now: number, longest: number): number | null {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(longest, Math.max(0, ms)) : null;
}
