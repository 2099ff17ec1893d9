import { createHmac } from 'node:crypto';

/** The header that carries the signature of a body that the hub sends. */
export const signatureHeader = 'X-Service-Content-Signature';

/** HMAC-SHA256 of the exact body, in lower-case hexadecimal. */
export const contentSignature = (body: string, key: string): string =>
  createHmac('sha256', key).update(body).digest('hex');
