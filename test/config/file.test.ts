import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { configFile, goodSecurity, jwtSecret, problemsOf, systemToken } from './files.ts';

const secret = 'x'.repeat(32);

const plainProvider = '{ issuer: "http://id.example", clientId: a, clientSecret: b, allowedEmailPatterns: "*" }';

const scopeless =
  '{ issuer: "https://id.example", clientId: a, clientSecret: b, allowedEmailPatterns: "*", scope: email }';

/** [title, text of the file, what the message contains] */
const badFiles: [string, string, string[]][] = [
  ['an unknown key', `${goodSecurity}server:\n  prot: 1\n`, ['parley.yaml:3:3: server.prot is not known', 'port']],
  ['an unknown section', `${goodSecurity}sever: {}\n`, ['parley.yaml:2:1: sever is not known', 'server']],
  [
    'text for a number',
    `${goodSecurity}server: { port: "80" }\n`,
    ['parley.yaml:2:11: server.port must be a whole number'],
  ],
  ['a port out of range', `${goodSecurity}server: { port: 65536 }\n`, ['server.port must be', '0 to 65535']],
  [
    'text for a flag',
    `security:\n  jwtSecret: ${secret}\n  systemToken: ${secret}\n  authentication: "yes"\n`,
    ['parley.yaml:4:3: security.authentication must be true or false'],
  ],
  [
    'an identity provider in plain text',
    `security:\n  jwtSecret: ${jwtSecret}\n  systemToken: ${systemToken}\n  oidc: ${plainProvider}\n`,
    ['security.oidc.issuer must be an https:// address'],
  ],
  [
    'a login without an id',
    `security:\n  jwtSecret: ${jwtSecret}\n  systemToken: ${systemToken}\n  oidc: ${scopeless}\n`,
    ['security.oidc.scope must hold openid'],
  ],
  ['a value for a section', `${goodSecurity}nats: nats://host\n`, ['parley.yaml:2:1: nats must be a section']],
  ['an unknown durability', `${goodSecurity}data: { durability: some }\n`, ['data.durability must be full or normal']],
  ['no shards', `${goodSecurity}data: { shards: 0 }\n`, ['data.shards must be a whole number from 1 to 256']],
  ['a number for a duration', `${goodSecurity}retention: { journal: 30 }\n`, ['retention.journal must be a duration']],
  ['an unknown unit', `${goodSecurity}retention: { journal: 3w }\n`, ['retention.journal must be a duration']],
  [
    'a journal of less than a day',
    `${goodSecurity}retention: { journal: 23h }\n`,
    ['retention.journal must be 24h or more'],
  ],
  ['no time to try', `${goodSecurity}delivery: { giveUpAfter: 0s }\n`, ['delivery.giveUpAfter must be longer']],
  ['a duration of nothing', `${goodSecurity}retention: { deliveries: 0d }\n`, ['retention.deliveries must be longer']],
  [
    'an address without prefix',
    `${goodSecurity}outgoing:\n  allowNetworks: [10.0.0.0/8, 10.0.0.1]\n`,
    ['parley.yaml:3:3: outgoing.allowNetworks, item 2, must be a network'],
  ],
  ['a prefix that is too long', `${goodSecurity}outgoing: { allowNetworks: [10.0.0.0/33] }\n`, ['must be a network']],
  ['a list that is none', `${goodSecurity}outgoing: { allowNetworks: 10.0.0.0/8 }\n`, ['must be a list']],
  [
    'a public address without http',
    `${goodSecurity}server: { publicUrl: hub.example }\n`,
    ['server.publicUrl must be'],
  ],
  ['a NATS address with http', `${goodSecurity}nats: { url: "http://a" }\n`, ['nats.url must be a nats://']],
  [
    'an origin with a path',
    `security:\n  jwtSecret: ${secret}\n  systemToken: ${secret}\n  allowedOrigins: [https://a/b]\n`,
    ['security.allowedOrigins, item 1, must be an origin'],
  ],
  ['missing secrets', 'server: {}\n', ['security.jwtSecret is missing', 'security.systemToken is missing']],
  [
    'a short secret',
    `security:\n  jwtSecret: short\n  systemToken: ${secret}\n`,
    ['parley.yaml:2:3: security.jwtSecret must be at least 32 characters'],
  ],
  [
    'half a source',
    `${goodSecurity}components: { sources: { telco: { accountSid: a } } }\n`,
    ['components.sources.telco.authToken is missing'],
  ],
  [
    'half a single sign-on',
    `security:\n  jwtSecret: ${secret}\n  systemToken: ${secret}\n  oidc: { clientId: a }\n`,
    ['parley.yaml:4:3: security.oidc.issuer is missing', 'security.oidc.allowedEmailPatterns is missing'],
  ],
  [
    'an open API on the network',
    `${goodSecurity}server: { host: 0.0.0.0 }\n`,
    ['parley.yaml:2:11: server.host opens the API', 'security.allowUnauthenticated'],
  ],
  ['broken YAML', 'server:\n  port: [1\n', ['parley.yaml:', 'is not valid YAML']],
  ['tabs', 'server:\n\tport: 1\n', ['parley.yaml:2:1', 'tabs']],
  ['a key written twice', `${goodSecurity}data: {}\ndata: {}\n`, ['parley.yaml:3:1', 'written twice']],
  ['a list as the whole file', '- a\n', ['must be a section']],
  ['an unknown alias', `security: { jwtSecret: *${jwtSecret} }\n`, ['parley.yaml:1:']],
];

test.each(badFiles)('refuses %s, naming the place', (_title, text, expected) => {
  const message = problemsOf(text);
  for (const part of expected) expect(message).toContain(part);
});

test('lists every problem at once', () => {
  const text = 'server:\n  host: 0.0.0.0\n  port: x\nsecurity: { jwtSecret: short }\nextra: 1\n';
  const message = problemsOf(text, { PARLEY_DATA_SHARDS: 'many' });
  expect(message).toContain('has 6 problems');
  for (const key of ['server.port', 'jwtSecret', 'systemToken', 'extra', 'data.shards', 'server.host']) {
    expect(message).toContain(key);
  }
});

test.each([
  ['plain', `security:\n  jwtSecret: ${jwtSecret}\n  systemToken: s3cret-short\n  oidc: s3cret-oidc\n`],
  ['unquoted after a bracket', `security: { jwtSecret: [${jwtSecret}], systemToken: s3cret-short }\n`],
  ['behind an alias sign', `security: { jwtSecret: *${jwtSecret} }\n`],
  ['behind an open quote', `security:\n  jwtSecret: "${jwtSecret}\n  systemToken: s3cret-short\n`],
  ['where a key belongs', `security:\n  jwtSecret: a\n  ${jwtSecret}\n`],
])('repeats no secret that stands %s', (_title, text) => {
  const message = problemsOf(text);
  expect(message).toContain('parley.yaml:');
  expect(message).not.toContain(jwtSecret);
  expect(message).not.toContain('s3cret');
});

test('gives every key its default', () => {
  const file = configFile(goodSecurity);
  expect(loadConfig({ file, env: {} })).toMatchObject({
    server: { host: '127.0.0.1', port: 8080, publicUrl: '', metricsPort: 'auto' },
    data: { dir: join(dirname(file), 'data'), durability: 'full', shards: 1 },
    nats: { url: '' },
    security: { authentication: false, allowUnauthenticated: false, allowedOrigins: [] },
    integration: { 'source-api': { enabled: false }, contacts: { enabled: false }, webhook: { enabled: false } },
    components: { sources: {} },
    outgoing: { allowNetworks: [] },
    delivery: { giveUpAfter: 10 * 60_000 },
    retention: { journal: 30 * 86_400_000, deliveries: 30 * 86_400_000, raw: 7 * 86_400_000 },
  });
});

test('reads every kind of value', () => {
  const config = loadConfig({
    file: configFile(`
server: { host: 0.0.0.0, port: 0, publicUrl: "https://hub.example/x", metricsPort: 1 }
data: { dir: /srv/parley, durability: normal, shards: 4 }
nats: { url: "tls://nats.example:4222" }
security:
  jwtSecret: ${jwtSecret}
  systemToken: ${systemToken}
  authentication: true
  allowUnauthenticated: true
  allowedOrigins: ["*", "https://a.example"]
  oidc: { issuer: "https://id.example", clientId: c, clientSecret: s, allowedEmailPatterns: ["*@a.example"] }
components: { sources: { chatplugin: , telco: { accountSid: AC1, authToken: t } } }
outgoing: { allowNetworks: [10.0.0.0/8, "fd00::/8"] }
delivery: { giveUpAfter: 2h }
retention: { journal: 7d, deliveries: 90s }
`),
    env: {},
  });
  expect(config.server).toEqual({
    host: '0.0.0.0',
    port: 0,
    publicUrl: 'https://hub.example/x',
    trustedProxies: [],
    metricsPort: 1,
  });
  expect(config.data).toEqual({ dir: '/srv/parley', durability: 'normal', shards: 4 });
  expect(config.security.oidc).toMatchObject({ clientId: 'c', scope: 'openid email profile' });
  expect(config.security.oidc?.clientSecret.reveal()).toBe('s');
  expect(config.components.sources.chatplugin).toEqual({});
  expect(config.components.sources.telco?.authToken.reveal()).toBe('t');
  expect(config.components.sources.pageplatform).toBeUndefined();
  expect(config.outgoing.allowNetworks).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(config.delivery).toEqual({ giveUpAfter: 2 * 3_600_000 });
  expect(config.retention).toEqual({ journal: 7 * 86_400_000, deliveries: 90_000, raw: 7 * 86_400_000 });
});

test('patterns of addresses may be a list or a text with commas', () => {
  const patterns = (written: string) => {
    const oidc = `{ issuer: "https://id.example", clientId: c, clientSecret: s, allowedEmailPatterns: ${written} }`;
    const security = `security: { jwtSecret: ${jwtSecret}, systemToken: ${systemToken}, oidc: ${oidc} }\n`;
    return loadConfig({ file: configFile(security), env: {} }).security.oidc?.allowedEmailPatterns;
  };
  expect(patterns('"*@a.example, ann@b.example"')).toEqual(['*@a.example', 'ann@b.example']);
  expect(patterns('["*@a.example", ann@b.example]')).toEqual(['*@a.example', 'ann@b.example']);
  expect(() => patterns('"*@a.example,"')).toThrow(/must not be empty/);
});

test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('lets an open API listen on %s', (host) => {
  expect(loadConfig({ file: configFile(`${goodSecurity}server: { host: "${host}" }\n`), env: {} }).server.host).toBe(
    host,
  );
});

test.each(['0.0.0.0', '::', '192.168.1.2', 'hub.example', '127.0.0.1.example'])(
  'lets %s be listened on only with authentication',
  (host) => {
    const text = `${goodSecurity}server: { host: "${host}" }\n`;
    expect(problemsOf(text)).toContain('opens the API');
    expect(problemsOf(text, { PARLEY_SECURITY_AUTHENTICATION: 'true' })).toBe('no problem');
  },
);

test('lets any page call only with authentication', () => {
  const origins = '  allowedOrigins: ["https://a.example", "*"]';
  const text = `security:\n  jwtSecret: ${jwtSecret}\n  systemToken: ${systemToken}\n${origins}\n`;
  expect(problemsOf(text)).toMatch(/parley.yaml:4:3: security.allowedOrigins lets any web page/);
  expect(problemsOf(text, { PARLEY_SECURITY_AUTHENTICATION: 'true' })).toBe('no problem');
  expect(problemsOf(text, { PARLEY_SECURITY_ALLOW_UNAUTHENTICATED: 'true' })).toContain('lets any web page');
});

test.each([
  ['security.jwtSecret is one character', 'a'.repeat(40), systemToken],
  ['security.systemToken is one character', jwtSecret, 'a'.repeat(40)],
  ['security.systemToken is the same as security.jwtSecret', jwtSecret, jwtSecret],
])('says that %s', (problem, jwt, system) => {
  const message = problemsOf(`security: { jwtSecret: ${jwt}, systemToken: ${system} }`);
  expect(message).toContain(problem);
  expect(message).not.toContain(jwt);
});

test('a section that is commented out counts as empty', () => {
  expect(problemsOf(`${goodSecurity}nats:\n  # url: ""\noutgoing:\n`)).toBe('no problem');
});

test('a file that is missing is named', () => {
  expect(() => loadConfig({ file: '/nowhere/parley.yaml', env: {} })).toThrow(
    /\/nowhere\/parley.yaml: can't be read \(ENOENT\)/,
  );
});
