import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/** Who types `ann` is `ann@example.com`; `mallory` never proved an address. */
const claimsOf = (sub: string) => ({
  ...{ sub, name: `${sub[0]!.toUpperCase()}${sub.slice(1)}`, picture: `https://pictures.example/${sub}.png` },
  ...{ email: `${sub}@${sub === 'eve' ? 'elsewhere.example' : 'example.com'}`, email_verified: sub !== 'mallory' },
});

/** A real OpenID Connect provider with forms to log in. Prints its address; ends with its input. */
async function serve(clientId: string, clientSecret: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret },
        // A native client's redirect may name any port of this machine (RFC 8252 §7.3).
        ...{ application_type: 'native', redirect_uris: ['http://127.0.0.1/login/callback'] },
        ...{ grant_types: ['authorization_code'], response_types: ['code'] },
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'picture'], email: ['email', 'email_verified'] },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => claimsOf(sub) }),
    pkce: { required: () => true },
    cookies: { keys: ['cookies of a test'] },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
  });
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
  process.stdin.on('end', () => process.exit()).resume();
}

const [clientId = '', clientSecret = ''] = process.argv.slice(2);
await serve(clientId, clientSecret);
