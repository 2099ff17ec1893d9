/** The configuration after defaults, the file and the environment. `keys.ts` says what each key means. */
export interface Config {
  server: { host: string; port: number; publicUrl: string; metricsPort: number | 'auto'; trustedProxies: string[] };
  data: { dir: string; durability: 'full' | 'normal'; shards: number };
  nats: { url: string };
  security: {
    jwtSecret: Secret;
    /** Absent: the file is under `jwtSecret`, or new. */
    previousJwtSecret?: Secret | undefined;
    systemToken: Secret;
    authentication: boolean;
    allowUnauthenticated: boolean;
    allowedOrigins: string[];
    /** Absent: no single sign-on. */
    oidc?: OidcConfig;
  };
  integration: {
    'source-api': { enabled: boolean };
    contacts: { enabled: boolean };
    webhook: { enabled: boolean; name: string };
  };
  components: { sources: SourceComponents };
  outgoing: { allowNetworks: string[] };
  /** Milliseconds. */
  delivery: { giveUpAfter: number };
  /** How often a minute visitors may do something. */
  visitors: {
    authenticationsPerAddress: number;
    authenticationsPerChannel: number;
    sendsPerAddress: number;
    sendsPerChannel: number;
  };
  /** Files that are uploaded: bytes of one at most, and types as `image/*`. */
  media: { maxSize: number; maxTotal: number; minFree: number; types: string[] };
  /** Milliseconds. */
  retention: { journal: number; deliveries: number; raw: number };
}

/** Single sign-on with an OpenID Connect provider. */
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: Secret;
  /** `*` is the wildcard; a pattern matches the whole address. */
  allowedEmailPatterns: string[];
  scope: string;
  /** Empty: where `/login` was told to return to, on the hub. */
  loginSuccessUrl: string;
  logoutSuccessUrl: string;
}

/** The platforms that are configured by the file. An absent one is not. */
export interface SourceComponents {
  pageplatform?: PlatformApp;
  cloudmsg?: PlatformApp;
  bizmaps?: { apiBase: string; saFile: Secret; partnerKey: Secret };
  telco?: { apiBase: string; accountSid: string; authToken: Secret };
  chatplugin?: Record<string, never>;
}

/** An app at a platform, by which the hub calls it and is called. */
export type PlatformApp = {
  apiBase: string;
  appId: string;
  appSecret: Secret;
  webhookSecret: Secret;
};

/** A secret that does not show itself in logs, JSON or string conversions; `reveal()` is the one way to its text. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[redacted]';
  }
}
