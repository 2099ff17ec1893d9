/** The configuration after defaults, the file and the environment (decisions.md §12). */
export interface Config {
  server: { host: string; port: number; publicUrl: string; metricsPort: number };
  data: { dir: string; durability: 'full' | 'normal'; shards: number };
  nats: { url: string };
  security: {
    jwtSecret: Secret;
    systemToken: Secret;
    authentication: boolean;
    allowUnauthenticated: boolean;
    allowedOrigins: string[];
  };
  integration: {
    'source-api': { enabled: boolean };
    contacts: { enabled: boolean };
    webhook: { enabled: boolean; name: string };
  };
  outgoing: { allowNetworks: string[] };
  retention: { history: number; feed: number };
}

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
