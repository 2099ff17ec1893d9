import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { keyTable } from '#src/config/keys.ts';
import { loadConfig } from '#src/config/load.ts';
import { configTemplate, writeConfigTemplate } from '#src/config/template.ts';
import { temporaryFolder } from './files.ts';

function freshFile(): string {
  const file = join(temporaryFolder(), 'parley.yaml');
  writeConfigTemplate(file);
  return file;
}

test('a new file loads with every optional feature on', () => {
  const config = loadConfig({ file: freshFile(), env: {} });
  expect(config.integration).toEqual({
    'source-api': { enabled: true },
    contacts: { enabled: true },
    webhook: { enabled: true, name: 'webhook' },
  });
  expect(config.components.sources).toEqual({ chatplugin: {} });
  expect(config.outgoing.allowNetworks).toEqual(['127.0.0.0/8', '::1/128']);
});

test('only its owner can read a new file', () => {
  expect(statSync(freshFile()).mode & 0o777).toBe(0o600);
});

test('a file that exists is not written over', () => {
  const file = freshFile();
  const before = readFileSync(file, 'utf8');
  expect(() => writeConfigTemplate(file)).toThrow(/EEXIST/);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('each new file has secrets of its own', () => {
  const { security: a } = loadConfig({ file: freshFile(), env: {} });
  const { security: b } = loadConfig({ file: freshFile(), env: {} });
  const secrets = [a, b].flatMap(({ jwtSecret, systemToken }) => [jwtSecret.reveal(), systemToken.reveal()]);
  expect(new Set(secrets).size).toBe(4);
  expect(Math.min(...secrets.map((secret) => secret.length))).toBeGreaterThanOrEqual(43);
});

test('a new file names and explains every key', () => {
  const text = configTemplate();
  for (const row of keyTable()) {
    expect(text, row.name).toMatch(new RegExp(`\\b${row.path.at(-1)}\\b`));
    // Of a section that is off only the names are shown.
    const isOff = row.path[1] === 'oidc' || row.path[1] === 'sources';
    if (row.initial !== null) expect(isOff || text.includes(row.meaning), row.name).toBe(true);
  }
});

test('other values can be written', () => {
  expect(configTemplate(new Map([['server.port', '0']]))).toContain('\n  port: 0\n');
});

test.each([
  ['JSON', (value: unknown) => JSON.stringify(value)],
  ['inspect', (value: unknown) => inspect(value, { depth: 9, showHidden: true })],
  ['inspect without custom forms', (value: unknown) => inspect(value, { depth: 9, customInspect: false })],
  ['%s', (value: unknown) => `${(value as { jwtSecret: unknown }).jwtSecret}`],
])('%s of a configuration shows no secret', (_title, show) => {
  const { security } = loadConfig({ file: freshFile(), env: {} });
  const shown = show(security);
  expect(shown.length).toBeGreaterThan(5);
  expect(shown).not.toContain(security.jwtSecret.reveal());
  expect(shown).not.toContain(security.systemToken.reveal());
});
