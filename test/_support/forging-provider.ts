import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Makes the ID token that the provider gives out. */
export type Forge = (provider: ForgingProvider, nonce: string) => string | Promise<string>;

/** What a provider signs with; `foreign` is nobody's. */
const [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);

/** An identity provider that gives out whatever ID token it is told to. */
export class ForgingProvider implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    void this.#answer(request.url ?? '').then((body) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  /** What the next token is. */
  forge: Forge = () => this.token({});
  nonce = '';

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param port 0: any */
  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  /** A sound token, but for what is given. */
  token(claims: object, { key = own.privateKey, kid = 'own' } = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const sound = { iss: this.issuer, aud: 'parley', sub: 'ann', iat: now, exp: now + 60, nonce: this.nonce };
    const payload = { ...sound, email: 'ann@example.com', ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
  }

  /** The same, signed by a key that the provider does not publish. */
  foreignToken(): Promise<string> {
    return this.token({}, { key: foreign.privateKey });
  }

  async #answer(url: string): Promise<object> {
    const { issuer } = this;
    if (url === '/jwks')
      return { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }] };
    if (url === '/token') {
      return { access_token: 'access', token_type: 'Bearer', id_token: await this.forge(this, this.nonce) };
    }
    return {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'], subject_types_supported: ['public'] },
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A token without a signature. */
export function unsigned(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}
