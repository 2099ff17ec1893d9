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

const digits = Buffer.from('0123456789abcdef');

/** Byte by byte: before a signature is known to be good, a long text must not take long. */
function escaped(text: string): Uint8Array {
  let beyond = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) beyond += 1;
  const bytes = Buffer.allocUnsafe(text.length + 5 * beyond);
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x7f) bytes[end++] = unit;
    else end = writeEscape(bytes, end, unit);
  }
  return bytes;
}

/** Writes `\u00e4`. @returns where it ends */
function writeEscape(bytes: Buffer, at: number, unit: number): number {
  bytes[at] = 0x5c;
  bytes[at + 1] = 0x75;
  bytes[at + 2] = digits[unit >> 12]!;
  bytes[at + 3] = digits[(unit >> 8) & 0xf]!;
  bytes[at + 4] = digits[(unit >> 4) & 0xf]!;
  bytes[at + 5] = digits[unit & 0xf]!;
  return at + 6;
}
