import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Config, Secret } from '#src/config/config.ts';
import { testConfig } from './config.ts';

/** The client that the provider knows: a hub on any port of this machine. */
const oidcClient = { id: 'parley', secret: 'a secret of the client, for tests only' };

export interface RunningProvider extends AsyncDisposable {
  issuer: string;
}

/** An identity provider in a process of its own. */
export async function startProvider(): Promise<RunningProvider> {
  const script = fileURLToPath(new URL('oidc-provider-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, oidcClient.id, oidcClient.secret], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [issuer] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.stdin.end();
      await exit;
    },
  };
}

/** A hub where people of example.com log in. */
export function configWith(
  issuer: string,
  oidc: Partial<Config['security']['oidc']> = {},
  authentication = true,
): Config {
  const config = testConfig({
    authentication,
    oidc: {
      ...{ issuer, clientId: oidcClient.id, clientSecret: new Secret(oidcClient.secret) },
      ...{ allowedEmailPatterns: ['*@example.com'], scope: 'openid email profile' },
      ...{ loginSuccessUrl: '', logoutSuccessUrl: '' },
      ...oidc,
    },
  });
  config.outgoing.allowNetworks = ['127.0.0.0/8'];
  return config;
}

/** The same for a hub in a process of its own: variables of its environment. */
export const oidcEnvironment = (issuer: string): Record<string, string> => ({
  PARLEY_SECURITY_AUTHENTICATION: 'true',
  PARLEY_SECURITY_OIDC_ISSUER: issuer,
  PARLEY_SECURITY_OIDC_CLIENT_ID: oidcClient.id,
  PARLEY_SECURITY_OIDC_CLIENT_SECRET: oidcClient.secret,
  PARLEY_SECURITY_OIDC_ALLOWED_EMAIL_PATTERNS: '*@example.com',
});
