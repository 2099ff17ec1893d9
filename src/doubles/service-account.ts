import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { type ApiAnswer, type ApiCall, bearerIn, fieldsOf, formIn, jsonAnswer, textOf } from './wire.ts';
import { isSameText } from './same-text.ts';

/** The parts of a key file of a service account that a double needs. */
interface KeyFile {
  client_email: string;
  private_key: string;
  token_uri: string;
}

const tokenLifeSeconds = 3_599;
const longestGrantSeconds = 3_600;

/** A key file as the platform's console gives it out, for the token endpoint of a double. */
export function newKeyFile(tokenUri: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return JSON.stringify({
    ...{ type: 'service_account', project_id: 'a-double', private_key_id: randomBytes(20).toString('hex') },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ...{ client_email: 'hub@a-double.iam.gserviceaccount.com', client_id: '100000000000000000001' },
    token_uri: tokenUri,
  });
}

/** The token endpoint for a service account: RFC 7523 grants in, tokens out. */
export class TokenEndpoint {
  readonly #keyFile: KeyFile;
  readonly #scope: string;
  readonly #now: () => number;
  /** Ends in epoch ms, by token. */
  readonly #tokens = new Map<string, number>();

  /** @param now epoch ms */
  constructor(keyFile: string, scope: string, now: () => number) {
    const fields = fieldsOf(JSON.parse(keyFile));
    this.#keyFile = {
      client_email: textOf(fields['client_email']),
      private_key: textOf(fields['private_key']),
      token_uri: textOf(fields['token_uri']),
    };
    this.#scope = scope;
    this.#now = now;
  }

  /** Where grants go. */
  get path(): string {
    return URL.parse(this.#keyFile.token_uri)?.pathname ?? '/token';
  }

  async answer(call: ApiCall): Promise<ApiAnswer> {
    const form = formIn(call);
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      return refused('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type') ?? ''}`);
    }
    const wrong = await this.#problemOf(form.get('assertion') ?? '');
    if (wrong) return wrong;
    const access_token = `ya29.${randomBytes(64).toString('base64url')}`;
    this.#tokens.set(access_token, this.#now() + tokenLifeSeconds * 1_000);
    return jsonAnswer(200, { access_token, expires_in: tokenLifeSeconds, token_type: 'Bearer' });
  }

  /** Whether a call has a token that counts. */
  isLetIn(call: ApiCall): boolean {
    const given = bearerIn(call) ?? '';
    return [...this.#tokens].some(([token, end]) => isSameText(given, token) && end > this.#now());
  }

  /** No token counts any more: as when the platform takes them back. */
  revoke(): void {
    this.#tokens.clear();
  }

  async #problemOf(assertion: string): Promise<ApiAnswer | null> {
    const { client_email, private_key, token_uri } = this.#keyFile;
    try {
      const { payload } = await jwtVerify(assertion, createPublicKey(private_key), {
        ...{ algorithms: ['RS256'], issuer: client_email, audience: token_uri },
        ...{ requiredClaims: ['iat', 'exp'], currentDate: new Date(this.#now()) },
      });
      const life = (payload.exp ?? 0) - (payload.iat ?? 0);
      if (life > longestGrantSeconds) return refused('invalid_grant', 'Invalid JWT: Token must be short-lived.');
      if (textOf(payload['scope']).split(' ').includes(this.#scope)) return null;
      return refused('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      const isSignature = error instanceof errors.JWSSignatureVerificationFailed;
      return refused('invalid_grant', isSignature ? 'Invalid JWT Signature.' : `Invalid JWT: ${error.message}`);
    }
  }
}

const refused = (error: string, error_description: string): ApiAnswer => jsonAnswer(400, { error, error_description });
