import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RawRequest } from '../connector.ts';
import { objectIn } from '../outcome.ts';

/** Bytes of a handshake at most: it is read before anybody has signed it. */
const longestHandshake = 4_096;

/** What the platform sends once to an address, to see that it is the hub's: it wants to read the secret. */
interface Handshake {
  clientToken: string;
  secret: string;
}

/** Whether a body is a handshake; null: it is not. */
export function handshakeIn(body: Uint8Array): Handshake | null {
  if (body.length > longestHandshake) return null;
  const { clientToken, secret } = objectIn(Buffer.from(body).toString());
  return typeof clientToken === 'string' && typeof secret === 'string' ? { clientToken, secret } : null;
}

/**
 * Whether a request is the platform's: signed with the partner key (base64 of an HMAC-SHA512 over the body), or the
 * handshake that comes before anything is signed, whose client token is that key.
 */
export function isGenuine({ headers, body }: RawRequest, partnerKey: string): boolean {
  const given = headers['x-goog-signature'];
  const signature = createHmac('sha512', partnerKey).update(body).digest('base64');
  if (typeof given === 'string' && isSame(given, signature)) return true;
  const handshake = handshakeIn(body);
  return handshake !== null && isSame(handshake.clientToken, partnerKey);
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
