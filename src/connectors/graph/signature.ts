import { isAscii, isUtf8 } from 'node:buffer';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RawRequest } from '../connector.ts';

/** What a signature and a proof are: HMAC-SHA256 in lower-case hexadecimal. */
export const hmacOf = (key: string, signed: Uint8Array | string): string =>
  createHmac('sha256', key).update(signed).digest('hex');

/** Whether two secrets are the same, whatever their lengths, in a time that tells nothing of them. */
export function isSameSecret(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}

/**
 * Whether the platform has signed a body with the secret of the app. It may have signed it with every character beyond
 * ASCII written as `\u00e4`, and have sent it otherwise.
 */
export function isSigned({ headers, body }: RawRequest, appSecret: string): boolean {
  const given = headers['x-hub-signature-256'];
  if (typeof given !== 'string') return false;
  const isOf = (signed: Uint8Array | string): boolean => isSameSecret(given, `sha256=${hmacOf(appSecret, signed)}`);
  if (isOf(body)) return true;
  // Of bytes that are no text there is no other form: two bodies would have the same.
  return !isAscii(body) && isUtf8(body) && isOf(escaped(Buffer.from(body).toString()));
}

const escaped = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
