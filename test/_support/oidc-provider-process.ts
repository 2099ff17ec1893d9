import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Provider, { interactionPolicy } from 'oidc-provider';

/** Who types `ann` is `ann@example.com`; `mallory` never proved an address. */
const claimsOf = (sub: string) => ({
  ...{ sub, name: `${sub[0]!.toUpperCase()}${sub.slice(1)}`, picture: `https://pictures.example/${sub}.png` },
  ...{ email: `${sub}@${sub === 'eve' ? 'elsewhere.example' : 'example.com'}`, email_verified: sub !== 'mallory' },
});

/** The provider's forms know no choice of an account: this is one. @returns whether the request was about it */
async function chosen(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  if (!/^\/interaction\/[^/]+$/.test(request.url ?? '')) return false;
  const found = await provider.interactionDetails(request, response).catch(() => null);
  if (found?.prompt.name !== 'select_account') return false;
  if (request.method === 'POST') {
    const accountId = new URLSearchParams(await text(request)).get('login');
    await provider.interactionFinished(request, response, { select_account: {}, login: { accountId } });
  } else {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<h1>Choose an account</h1><form method="post" action="${request.url}"><input name="login"></form>`);
  }
  return true;
}

/** A real OpenID Connect provider with forms to log in. Prints its address; ends with its input. */
async function serve(clientId: string, clientSecret: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  const provider = new Provider(issuer, {
    interactions: { policy },
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
  const others = provider.callback();
  server.on('request', async (request, response) => {
    if (!(await chosen(provider, request, response))) others(request, response);
  });
  process.stdout.write(`${issuer}\n`);
  process.stdin.on('end', () => process.exit()).resume();
}

const [clientId = '', clientSecret = ''] = process.argv.slice(2);
await serve(clientId, clientSecret);
