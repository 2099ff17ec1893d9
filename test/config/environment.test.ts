import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyTable } from '#src/config/keys.ts';
import { loadConfig } from '#src/config/load.ts';
import { configFile, goodSecurity, jwtSecret, problemsOf, systemToken, temporaryFolder } from './files.ts';

const secrets = { PARLEY_SECURITY_JWT_SECRET: jwtSecret, PARLEY_SECURITY_SYSTEM_TOKEN: systemToken };

test.each([
  ['server.port', 'PARLEY_SERVER_PORT'],
  ['server.publicUrl', 'PARLEY_SERVER_PUBLIC_URL'],
  ['security.jwtSecret', 'PARLEY_SECURITY_JWT_SECRET'],
  ['integration.source-api.enabled', 'PARLEY_INTEGRATION_SOURCE_API_ENABLED'],
  ['components.sources.pageplatform.appId', 'PARLEY_COMPONENTS_SOURCES_PAGEPLATFORM_APP_ID'],
])('%s is set by %s', (name, variable) => {
  expect(keyTable().find((row) => row.name === name)?.environment).toBe(variable);
});

test('no two keys share a variable', () => {
  const variables = keyTable().flatMap((row) => [row.environment, row.environmentFile ?? []].flat());
  expect(new Set(variables).size).toBe(variables.length);
});

test('every key has a meaning', () => {
  for (const row of keyTable()) expect(row.meaning, row.name).toMatch(/^[A-Za-z/].{8,}\.$/);
});

test('works without a file', () => {
  const config = loadConfig({ env: secrets });
  expect(config.security.systemToken.reveal()).toBe(systemToken);
});

test('wins over the file', () => {
  const config = loadConfig({
    file: configFile(`${goodSecurity}server: { port: 1, metricsPort: 2 }\n`),
    env: { PARLEY_SERVER_PORT: '3' },
  });
  expect(config.server).toMatchObject({ port: 3, metricsPort: 2 });
});

test('gives every kind of value', () => {
  const config = loadConfig({
    env: {
      ...secrets,
      PARLEY_INTEGRATION_SOURCE_API_ENABLED: 'TRUE',
      PARLEY_DATA_DURABILITY: 'normal',
      PARLEY_OUTGOING_ALLOW_NETWORKS: '10.0.0.0/8, fd00::/8',
      PARLEY_DELIVERY_GIVE_UP_AFTER: '90s',
      PARLEY_RETENTION_JOURNAL: '36h',
      PARLEY_COMPONENTS_SOURCES_TELCO_ACCOUNT_SID: 'AC1',
      PARLEY_COMPONENTS_SOURCES_TELCO_AUTH_TOKEN: 't',
    },
  });
  expect(config.integration['source-api'].enabled).toBe(true);
  expect(config.data.durability).toBe('normal');
  expect(config.outgoing.allowNetworks).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(config.delivery.giveUpAfter).toBe(90_000);
  expect(config.retention.journal).toBe(36 * 3_600_000);
  expect(config.components.sources.telco?.accountSid).toBe('AC1');
});

test('an empty variable counts as unset', () => {
  expect(loadConfig({ env: { ...secrets, PARLEY_SERVER_PORT: '' } }).server.port).toBe(8080);
});

test.each([
  ['PARLEY_SERVER_PORT', 'eighty', 'PARLEY_SERVER_PORT: server.port must be a whole number'],
  [
    'PARLEY_SECURITY_AUTHENTICATION',
    '1',
    'PARLEY_SECURITY_AUTHENTICATION: security.authentication must be true or false',
  ],
  ['PARLEY_SERVER_PROT', '80', 'PARLEY_SERVER_PROT: is not a variable of any key'],
  ['PARLEY_SERVER_PORT_FILE', '/x', 'PARLEY_SERVER_PORT_FILE: is not a variable of any key'],
  ['PARLEY_SECURITY_JWT_SECRET', 's3cret', 'PARLEY_SECURITY_JWT_SECRET: security.jwtSecret must be at least 32'],
  ['PARLEY_SERVER_HOST', '0.0.0.0', 'PARLEY_SERVER_HOST: server.host opens the API'],
])('a bad %s is named (%s)', (variable, value, expected) => {
  const message = problemsOf(goodSecurity, { [variable]: value });
  expect(message).toContain(expected);
  expect(message).not.toContain('s3cret');
});

test('leaves variables of other purposes alone', () => {
  const env = { PARLEY_LOG_LEVEL: 'warn', PARLEY_NATS_SERVER: '/usr/sbin/nats-server', SERVER_PORT: 'x' };
  expect(problemsOf(goodSecurity, env)).toBe('no problem');
});

test('reads a secret from the file that is named', () => {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, `${jwtSecret}\n`);
  const { PARLEY_SECURITY_JWT_SECRET: _, ...rest } = secrets;
  const config = loadConfig({ env: { ...rest, PARLEY_SECURITY_JWT_SECRET_FILE: file } });
  expect(config.security.jwtSecret.reveal()).toBe(jwtSecret);
});

test('a secret file that is missing is named', () => {
  const message = problemsOf(goodSecurity, { PARLEY_SECURITY_JWT_SECRET_FILE: '/nowhere/secret' });
  expect(message).toContain("PARLEY_SECURITY_JWT_SECRET_FILE: names a file that can't be read (ENOENT)");
});

test('a secret given twice is refused', () => {
  const message = problemsOf('', { ...secrets, PARLEY_SECURITY_JWT_SECRET_FILE: '/nowhere' });
  expect(message).toContain('PARLEY_SECURITY_JWT_SECRET_FILE: and PARLEY_SECURITY_JWT_SECRET are both set');
});
