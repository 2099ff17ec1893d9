import { sign } from 'node:crypto';
import { z } from 'zod';
import { objectIn } from '../outcome.ts';

/** What calls may do. */
const scope = 'https://www.googleapis.com/auth/businessmessages';
/** How long a token is asked for, in seconds: the longest that there is. */
const lifetime = 3_600;

const keyFile = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional().catch(undefined),
  token_uri: z.url().catch('https://oauth2.googleapis.com/token'),
});

/** An account of a program at the platform, as its key file describes it. Holds secrets. */
export type ServiceAccount = z.output<typeof keyFile>;

/** @param text the key file; null: it is none */
export const serviceAccountIn = (text: string): ServiceAccount | null => keyFile.safeParse(objectIn(text)).data ?? null;

/**
 * The claim by which a service account asks for an access token (RFC 7523), signed with its key. Null: the key is none.
 * @param now epoch ms
 */
export function assertionOf(account: ServiceAccount, now: number): string | null {
  const { client_email, private_key, private_key_id: kid, token_uri } = account;
  const issued = Math.floor(now / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) };
  const claims = { iss: client_email, scope, aud: token_uri, iat: issued, exp: issued + lifetime };
  const text = `${encoded(header)}.${encoded(claims)}`;
  try {
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), private_key).toString('base64url')}`;
  } catch {
    return null;
  }
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
