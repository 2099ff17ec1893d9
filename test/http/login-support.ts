import type { OidcConfig } from '#src/config/config.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { systemToken } from '../_support/config.ts';
import { CookieClient, logIn } from '../_support/cookie-client.ts';
import { configWith, type RunningProvider } from '../_support/oidc-provider.ts';

export const system = { Authorization: `Bearer ${systemToken}` };
export const hostOf = (url: string): string => new URL(url).host;

/** A hub where people log in at a provider. */
export const openAt = ({ issuer }: RunningProvider, oidc: Partial<OidcConfig> = {}): Promise<TestApi> =>
  startApi({ config: configWith(issuer, oidc) });

export const userIdAt = ({ issuer }: RunningProvider, account: string): string => `${hostOf(issuer)}:${account}`;

/** @returns the cookie of a new session, as a browser sends it */
export async function cookieOf(api: TestApi, account = 'ann'): Promise<{ cookie: string }> {
  const client = new CookieClient();
  await logIn(client, `${api.url}/login`, account);
  const token = client.cookie(hostOf(api.url), 'parley_auth_token');
  return { cookie: `parley_auth_token=${token}` };
}
