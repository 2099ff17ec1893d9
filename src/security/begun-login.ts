import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { Secret } from '#src/config/config.ts';
import type { LoginChecks } from './identity-provider.ts';

/** A login that has begun, as the browser keeps it meanwhile: the hub remembers nothing of who never comes back. */
export interface BegunLogin extends LoginChecks {
  /** Where it goes on, on this hub. */
  returnTo: string;
}

/** The cookie that holds one, encrypted: only the browser that began a login can end it. */
export const loginCookie = 'parley_login';
/** Seconds in which a login can be ended. */
export const loginLifetime = 600;

const type = 'parley-login+jwt';
const audience = 'parley:login';

const keyOf = (jwtSecret: Secret): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', jwtSecret.reveal(), '', 'parley logins', 32));

/** @param now epoch ms */
export const sealLogin = (jwtSecret: Secret, login: BegunLogin, now: number): Promise<string> =>
  new EncryptJWT({ ...login })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: type })
    .setAudience(audience)
    .setExpirationTime(new Date(now + loginLifetime * 1_000))
    .encrypt(keyOf(jwtSecret));

/** Null for what is none, or too old. */
export async function openLogin(jwtSecret: Secret, sealed: string, now: number): Promise<BegunLogin | null> {
  try {
    const { payload } = await jwtDecrypt(sealed, keyOf(jwtSecret), {
      ...{ audience, typ: type, currentDate: new Date(now) },
      ...{ keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
    });
    return payload as unknown as BegunLogin;
  } catch {
    return null;
  }
}
