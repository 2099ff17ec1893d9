import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { ConfigError } from '#src/config/problem.ts';

export const jwtSecret = 'jwt-secret-that-is-long-enough-0123456789';
export const systemToken = 'system-token-that-is-long-enough-01234567';
export const goodSecurity = `security: { jwtSecret: ${jwtSecret}, systemToken: ${systemToken} }\n`;

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes `parley.yaml` with the text into a folder of its own. */
export function configFile(text: string): string {
  const file = join(temporaryFolder(), 'parley.yaml');
  writeFileSync(file, text);
  return file;
}

/** The message of the ConfigError that loading throws. */
export function problemsOf(text: string, env: Record<string, string> = {}): string {
  try {
    loadConfig({ file: configFile(text), env });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'no problem';
}
