import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { welcome } from '#src/cli/commands/start.ts';
import { loadConfig } from '#src/config/load.ts';
import { jwtSecret, systemToken } from '../config/files.ts';

const env = { PARLEY_SECURITY_JWT_SECRET: jwtSecret, PARLEY_SECURITY_SYSTEM_TOKEN: systemToken };
const addresses = { url: 'http://127.0.0.1:8080', metricsUrl: 'http://127.0.0.1:9464/metrics' };

function serve(behaviour: string) {
  const script = join(import.meta.dirname, 'fixtures', 'serve.ts');
  const child = spawn(process.execPath, [script, behaviour], { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The log's events up to the one that is waited for, or all when it never comes. */
async function eventsUntil(child: ChildProcess & { stdout: NodeJS.ReadableStream }, event: string) {
  const seen: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(JSON.parse(line) as Record<string, unknown>);
    if (seen.at(-1)?.['msg'] === event) break;
  }
  return seen;
}

test('serve says when the hub is ready and where', async () => {
  const child = serve('good');
  const [ready] = await eventsUntil(child, 'hub.ready');
  expect(ready).toMatchObject({ level: 'info', url: 'http://127.0.0.1:1', metricsUrl: 'http://127.0.0.1:2/metrics' });
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops the hub with exit code 0', async (signal) => {
  const child = serve('good');
  await eventsUntil(child, 'hub.ready');
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a taken port is explained', async () => {
  const child = serve('taken');
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect(child.exitCode).toBe(1);
  expect(stderr).toContain('port 8080 is in use');
});

test('a defect is logged and ends the process', async () => {
  const child = serve('crashing');
  const events = await eventsUntil(child, 'hub.crashed');
  expect(events.at(-1)).toMatchObject({ level: 'error', msg: 'hub.crashed', error: { type: 'SyntaxError' } });
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(1);
});

test('the welcome names addresses and the place of the token', () => {
  const shown = welcome(loadConfig({ env }), '.parley/parley.yaml', addresses);
  const parts = [
    addresses.url,
    `${addresses.url}/docs`,
    addresses.metricsUrl,
    'security.systemToken in .parley/parley.yaml',
  ];
  for (const part of parts) expect(shown).toContain(part);
  expect(shown).toContain(
    "curl -s -X POST http://127.0.0.1:8080/client.config -H 'Content-Type: application/json' -d '{}'",
  );
  expect(shown).not.toContain(systemToken);
  expect(shown).not.toContain('Chat ');
  expect(welcome(loadConfig({ env }), 'parley.yaml', addresses, 'http://chat.example')).toContain(
    'http://chat.example',
  );
});

test('the welcome asks for the token where it is needed', () => {
  const config = loadConfig({ env: { ...env, PARLEY_SECURITY_AUTHENTICATION: 'true' } });
  const shown = welcome(config, '.parley/parley.yaml', addresses);
  expect(shown).toContain('-H "Authorization: Bearer $PARLEY_TOKEN"');
  expect(shown).not.toContain(systemToken);
});
