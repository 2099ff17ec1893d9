import { createHash, randomBytes } from 'node:crypto';

/** The id without dashes, `_`, 256 bits as base64url. */
const format = /^([0-9a-f]{32})_[A-Za-z0-9_-]{43}$/;
const secretBytes = 32;

/** How long a login lasts, in ms: a working day. Who is still logged in at the provider has it again by one click. */
export const sessionLifetime = 12 * 60 * 60 * 1_000;

/** What the cookie of a new session holds. */
export const newSessionToken = (id: string): string =>
  `${id.replaceAll('-', '')}_${randomBytes(secretBytes).toString('base64url')}`;

/** The id that a cookie names; null: it is none of ours. */
export function sessionIdOf(token: string): string | null {
  const hex = format.exec(token)?.[1];
  return hex === undefined ? null : hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What the hub keeps of it. */
export const sessionHash = (token: string): string => createHash('sha256').update(token).digest('base64url');
