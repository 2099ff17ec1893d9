import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { parseVersion, provideNatsServer } from '#src/nats/provision.ts';
import { natsBinary, temporaryFolder } from './support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A program that answers to every call with one line. */
function program(answer: string): string {
  const file = join(temporaryFolder(), 'nats-server');
  writeFileSync(file, `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const provide = (): Promise<string> => provideNatsServer({ cacheDir: temporaryFolder(), log: () => {} });

test.each([
  ['nats-server: v2.10.27', [2, 10, 27]],
  ['nats-server: v2.12.0-RC.1', [2, 12, 0]],
  ['nats-server: unknown', null],
])('reads the version of "%s"', (answer, version) => {
  expect(parseVersion(answer)).toEqual(version);
});

test('provides a server that tells its version', async () => {
  expect(await natsBinary()).toMatch(/nats-server$/);
});

test('takes the server that the environment names', async () => {
  const file = program('nats-server: v2.10.0');
  vi.stubEnv('PARLEY_NATS_SERVER', file);
  expect(await provide()).toBe(file);
});

test('finds a new server on the PATH', async () => {
  const file = program('nats-server: v3.0.0');
  vi.stubEnv('PARLEY_NATS_SERVER', '');
  vi.stubEnv('PATH', join(file, '..'));
  expect(await provide()).toBe(file);
});

test.each([
  ['an old server', 'nats-server: v2.9.10', /version 2\.9\.10; 2\.10 or newer/],
  ['another program', 'hello', /does not answer to --version/],
])('refuses %s in the environment', async (_name, answer, reason) => {
  vi.stubEnv('PARLEY_NATS_SERVER', program(answer));
  await expect(provide()).rejects.toThrow(reason);
});

test('refuses a missing file in the environment', async () => {
  vi.stubEnv('PARLEY_NATS_SERVER', '/nowhere/nats-server');
  await expect(provide()).rejects.toThrow(/PARLEY_NATS_SERVER: .*does not run/);
});
