import * as openid from 'openid-client';
import type { UserProfile } from '#actors/user/contract.ts';
import { Failure } from '#actors/errors.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type { OidcConfig } from '#src/config/config.ts';
import { isLoopback } from '#src/config/loopback.ts';
import type { GuardedFetch } from '#src/outgoing/guarded-fetch.ts';
import { matchesOne } from './email-pattern.ts';
import { providerName } from './provider-name.ts';

/** What a login that has begun must come back with. */
export interface LoginChecks {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

export interface IdentityProviderParts {
  fetch: GuardedFetch['fetch'];
  clock: Clock;
  log: Logger;
}

/** What the provider says of itself, and its keys, are read again after this long, in ms. */
const discoveredFor = 60 * 60_000;
/** Longer texts of a profile are left out. */
const longest = { id: 255, name: 255, url: 2_000 };

/** Single sign-on by OpenID Connect: authorization code with PKCE, state and nonce. */
export class IdentityProvider {
  readonly #config: OidcConfig;
  readonly #parts: IdentityProviderParts;
  #discovery: { at: number; found: Promise<openid.Configuration> } | null = null;

  constructor(config: OidcConfig, parts: IdentityProviderParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /**
   * Where a browser logs in, and what is to be checked when it comes back to `redirectUri`.
   * @param choosing the provider is to ask which account it is, also where it knows one
   * @throws Failure `unavailable` when the provider does not answer
   */
  async begin(redirectUri: string, choosing = false): Promise<{ url: URL; checks: LoginChecks }> {
    const provider = await this.#discover();
    const checks = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    };
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: this.#config.scope,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      ...(choosing && { prompt: 'select_account' }),
    });
    return { url, checks };
  }

  /**
   * Who came back.
   * @param url the whole address that the provider sent the browser to
   * @throws Failure `forbidden` for who may not log in, `unauthorized` for what is no answer to this login, `unavailable`
   */
  async complete(url: URL, { state, nonce, verifier }: LoginChecks): Promise<UserProfile> {
    const provider = await this.#discover();
    let claims: Record<string, unknown>;
    try {
      claims = await claimsOf(provider, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
    } catch (error) {
      throw this.#refused(error);
    }
    const { email, email_verified: verified } = claims;
    if (typeof email !== 'string' || verified === false || !matchesOne(this.#config.allowedEmailPatterns, email)) {
      throw new Failure('forbidden', 'This account may not use the hub: its address is not among those allowed.');
    }
    return profileOf(providerName(this.#config), claims);
  }

  /** Asked once for all who wait, again after an hour, and at once after a failure. */
  async #discover(): Promise<openid.Configuration> {
    const now = this.#parts.clock.elapsed();
    if (this.#discovery === null || now - this.#discovery.at > discoveredFor) {
      this.#discovery = { at: now, found: this.#ask() };
    }
    const { found } = this.#discovery;
    try {
      return await found;
    } catch (error) {
      if (this.#discovery?.found === found) this.#discovery = null;
      this.#note(error);
      throw silentProvider();
    }
  }

  #ask(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#config;
    const url = new URL(issuer);
    return openid.discovery(url, clientId, undefined, secretShown(clientSecret.reveal()), {
      [openid.customFetch]: this.#parts.fetch,
      execute: [
        // The signature of an ID token too, whatever connection it came by.
        openid.enableNonRepudiationChecks,
        // Only of this machine: the configuration is checked for it.
        ...(url.protocol === 'http:' && isLoopback(url.hostname) ? [openid.allowInsecureRequests] : []),
      ],
    });
  }

  /** Why the provider's answer to a login is none. */
  #refused(error: unknown): Failure {
    this.#note(error);
    if ((error as { error?: string }).error === 'access_denied') {
      return new Failure('forbidden', 'The login was declined at the identity provider.');
    }
    if (isUnreachable(error)) return silentProvider();
    return new Failure('unauthorized', 'This is no answer to a login of this browser. Log in again.');
  }

  /** For the log alone: it may hold what the provider says. */
  #note(error: unknown): void {
    const { code, cause } = error as { code?: string; cause?: unknown };
    this.#parts.log.warn({ reason: String(error), code, cause: cause && String(cause) }, 'login.refused');
  }
}

const silentProvider = (): Failure =>
  new Failure('unavailable', 'The identity provider does not answer as it should. Try again later.', { retryAfter: 5 });

/** Says nothing about the login: the provider can not be reached, or is slow. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError || (error as { code?: string }).code === 'OAUTH_TIMEOUT';

/** As the provider takes it: in a header where it says nothing, which is what clients are registered for by default. */
function secretShown(secret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const show = methods.includes('client_secret_basic') ? basic : post;
    show(server, client, body, headers);
  };
}

/** What the provider says of who logged in: the ID token, and what it leaves to the user info. */
async function claimsOf(
  provider: openid.Configuration,
  url: URL,
  checks: openid.AuthorizationCodeGrantChecks,
): Promise<Record<string, unknown>> {
  const tokens = await openid.authorizationCodeGrant(provider, url, { ...checks, idTokenExpected: true });
  const claims = tokens.claims()!;
  if (claims['email'] !== undefined || provider.serverMetadata().userinfo_endpoint === undefined) return { ...claims };
  return { ...(await openid.fetchUserInfo(provider, tokens.access_token, claims.sub)), ...claims };
}

function profileOf(provider: string, { sub, name, picture }: Record<string, unknown>): UserProfile {
  if (typeof sub !== 'string' || sub.length > longest.id) {
    throw new Failure('unauthorized', 'The identity provider gave no usable id.');
  }
  return {
    userId: `${provider}:${sub}`,
    ...(typeof name === 'string' && name !== '' && { name: name.slice(0, longest.name) }),
    ...(isPicture(picture) && { avatarUrl: picture }),
  };
}

const isPicture = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longest.url && /^https?:$/.test(URL.parse(value)?.protocol ?? '');
