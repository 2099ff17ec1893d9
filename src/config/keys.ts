import {
  choice,
  duration,
  durationFrom,
  flag,
  mediaTypes,
  type ValueType,
  natsUrl,
  networks,
  number,
  origins,
  port,
  optionalSecret,
  portOrAuto,
  secret,
  size,
  text,
  textsOrCommas,
  webUrl,
} from './value-types.ts';

/** One key. `initial` is the default as the file would write it; absent: the key is required. */
export interface Key<T = unknown> {
  type: ValueType<T>;
  initial?: unknown;
  meaning: string;
  secret: boolean;
}

/**
 * A mapping of keys. A section with `optional` is absent from the configuration unless the file or the environment
 * sets something in it; one without keys is there when the file names it.
 */
export interface Section {
  keys: { readonly [name: string]: Key | Section };
  optional: boolean;
}

const key = <T>(type: ValueType<T>, initial: unknown, meaning: string): Key<T> => ({
  type,
  initial,
  meaning,
  secret: false,
});
const needed = <T>(type: ValueType<T>, meaning: string): Key<T> => ({ type, meaning, secret: false });
const hidden = (least: number, meaning: string): Key => ({ type: secret(least), meaning, secret: true });
const spare = (least: number, meaning: string): Key => ({
  ...{ type: optionalSecret(least), initial: '', meaning },
  secret: true,
});
const section = (keys: Section['keys']): Section => ({ keys, optional: false });
const optional = (keys: Section['keys']): Section => ({ keys, optional: true });

const oidc = optional({
  issuer: needed(webUrl, 'Address of the OpenID Connect provider.'),
  clientId: needed(text, 'Client id at the provider.'),
  clientSecret: hidden(1, 'Client secret at the provider.'),
  allowedEmailPatterns: needed(
    textsOrCommas,
    'Who may log in: addresses, * as wildcard, each matching the whole address.',
  ),
  scope: key(text, 'openid email profile', 'Scopes asked of the provider.'),
  loginSuccessUrl: key(webUrl, '', 'Where a login ends; empty: where /login was told to return to, on the hub.'),
  logoutSuccessUrl: key(webUrl, '', 'Where a logout ends.'),
});

const rate = number(1, 1_000_000);

const apiBase = (address: string) => key(webUrl, address, "Where the platform's API is: another one for a double.");
const metaApp = () =>
  optional({
    appId: needed(text, 'Id of the app at the platform.'),
    appSecret: hidden(1, "Secret of the app: signs the platform's requests."),
    webhookSecret: hidden(1, 'The verify token that the platform sends when its webhook is set up.'),
    apiBase: apiBase('https://graph.facebook.com/v23.0'),
  });

/** Every key of the configuration: what the loader, the template and the documentation's table are made from. */
export const configKeys: Section = section({
  server: section({
    host: key(text, '127.0.0.1', 'Address to listen on. Another than loopback needs security.authentication.'),
    port: key(port, 8080, 'Port of the API; 0: any free port.'),
    publicUrl: key(webUrl, '', 'Address under which others reach the hub; empty: the address it listens on.'),
    trustedProxies: key(
      networks,
      [],
      'Networks of proxies before the hub: of their requests X-Forwarded-For says who asks.',
    ),
    metricsPort: key(
      portOrAuto,
      'auto',
      'Port of /metrics, on loopback only; auto: 9464, or a free one where that is taken; 0: any free port.',
    ),
  }),
  data: section({
    dir: key(text, './data', "Folder of the database; relative to the file's folder."),
    durability: key(
      choice('full', 'normal'),
      'full',
      'full: an answer survives a power cut; normal: only a crash of the program.',
    ),
    shards: key(number(1, 256), 1, 'Shards that the actors are spread over; fixed once there is data.'),
  }),
  nats: section({
    url: key(natsUrl, '', 'An own NATS server; empty: the hub starts and supervises one.'),
  }),
  security: section({
    jwtSecret: hidden(32, 'Signs the tokens of sources and of the chat plugin; encrypts stored secrets.'),
    previousJwtSecret: spare(
      32,
      'What jwtSecret was before: secrets that were stored under it are stored under the new one at the start.',
    ),
    systemToken: hidden(32, 'Bearer token for the whole core API.'),
    authentication: key(flag, false, 'true: the core API needs a credential.'),
    allowUnauthenticated: key(flag, false, 'true: an open API may listen on another address than loopback.'),
    allowedOrigins: key(
      origins,
      [],
      'Origins of web pages that may call; * (with authentication only): any, without credentials.',
    ),
    oidc,
  }),
  integration: section({
    'source-api': section({ enabled: key(flag, false, 'The source API: applications as custom sources.') }),
    contacts: section({ enabled: key(flag, false, 'Contacts over several conversations.') }),
    webhook: section({
      enabled: key(flag, false, 'Outbound webhooks.'),
      name: key(text, 'webhook', 'Name of the webhook integration.'),
    }),
  }),
  components: section({
    sources: section({
      pageplatform: metaApp(),
      cloudmsg: metaApp(),
      bizmaps: optional({
        saFile: hidden(1, 'Service-account key file as one line of JSON.'),
        partnerKey: hidden(1, "Verifies the signature of the platform's requests."),
        apiBase: apiBase('https://businessmessages.googleapis.com'),
      }),
      telco: optional({
        accountSid: needed(text, 'Account id at the telephony provider.'),
        authToken: hidden(1, 'Token of the account.'),
        apiBase: apiBase('https://api.twilio.com'),
      }),
      chatplugin: optional({}),
    }),
  }),
  outgoing: section({
    allowNetworks: key(networks, [], 'Networks that outgoing calls may reach besides public addresses.'),
  }),
  delivery: section({
    giveUpAfter: key(
      duration,
      '10m',
      'How long a send is tried for, from its first call on, while its source is out of reach or asks to wait.',
    ),
  }),
  visitors: section({
    authenticationsPerAddress: key(
      rate,
      60,
      'Conversations that visitors of one address begin in a minute, and how often each is resumed.',
    ),
    authenticationsPerChannel: key(rate, 3_000, 'Conversations that are begun on one channel in a minute.'),
    sendsPerAddress: key(rate, 120, 'Messages that visitors of one address send in a minute.'),
    sendsPerChannel: key(rate, 6_000, 'The same of one channel.'),
  }),
  media: section({
    maxSize: key(size, '25MiB', 'Bytes of an uploaded file at most.'),
    maxTotal: key(size, '20GiB', 'Bytes of all uploaded files at most.'),
    minFree: key(size, '1GiB', 'Bytes of the disk that uploads leave free.'),
    types: key(
      mediaTypes,
      ['*'],
      'Types of files that may be uploaded, as image/png, image/* or *: what their content says, not their name.',
    ),
  }),
  retention: section({
    // Idempotency keys are remembered for a day, by what the journal keeps.
    journal: key(
      durationFrom('24h'),
      '30d',
      'How long events, steps and answers are kept: what can be resumed and explained.',
    ),
    deliveries: key(duration, '30d', 'How long deliveries of webhooks and their attempts are kept.'),
    raw: key(duration, '7d', 'How long what platforms sent is kept as it came.'),
  }),
});

/** One row of the documentation's table of keys. `initial`: as the file writes it; null: required. */
export interface KeyRow {
  name: string;
  path: readonly string[];
  type: string;
  initial: string | null;
  meaning: string;
  environment: string;
  /** For secrets: the variable that names a file holding the value. */
  environmentFile: string | null;
}

/**
 * The variable of a key: `PARLEY_`, then the path's parts joined by `_`, each in upper case with `_` between its
 * words. `security.jwtSecret` is PARLEY_SECURITY_JWT_SECRET, `integration.source-api.enabled` is
 * PARLEY_INTEGRATION_SOURCE_API_ENABLED.
 */
export function environmentName(path: readonly string[]): string {
  const words = path.map((part) => part.replaceAll('-', '_').replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2'));
  return `PARLEY_${words.join('_').toUpperCase()}`;
}

/** Whether an entry of a section is a section. */
export const isSection = (entry: Key | Section): entry is Section => 'keys' in entry;

/** Every key with its path, in the order of the file. */
export function* walkKeys(from: Section = configKeys, path: readonly string[] = []): Generator<[string[], Key]> {
  for (const [name, entry] of Object.entries(from.keys)) {
    if (isSection(entry)) yield* walkKeys(entry, [...path, name]);
    else yield [[...path, name], entry];
  }
}

/** The table of all keys, from which the documentation is generated and tested. */
export function keyTable(): KeyRow[] {
  return [...walkKeys()].map(([path, entry]) => ({
    name: path.join('.'),
    path,
    type: entry.type.words,
    initial: entry.initial === undefined ? null : JSON.stringify(entry.initial),
    meaning: entry.meaning,
    environment: environmentName(path),
    environmentFile: entry.secret ? `${environmentName(path)}_FILE` : null,
  }));
}
