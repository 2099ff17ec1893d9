import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HubProcess } from '../_support/hub-process.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const run = promisify(execFile);

test('the demo plays a conversation with delivered replies', { timeout: 40_000 }, async () => {
  await using hub = await HubProcess.start();
  const { stdout } = await run(process.execPath, [main, 'demo', '--apihost', hub.url, '--workspace', hub.workspace]);
  expect(stdout.match(/Ada {2,}/g)).toHaveLength(3);
  expect(stdout.match(/signature right, message taken/g)).toHaveLength(2);
  expect(stdout.match(/delivered after \d+ ms/g)).toHaveLength(2);
  expect(stdout).toContain('The hub keeps 5 messages');
  const sources = await hub.post<{ data: unknown[] }>('/sources.list', {});
  expect(sources.body.data).toEqual([]);
});

test('SIGTERM drains and ends the hub with exit code 0', { timeout: 40_000 }, async () => {
  await using hub = await HubProcess.start();
  const asked = Date.now();
  expect(await hub.stop()).toBe(0);
  expect(Date.now() - asked).toBeLessThan(5_000);
});
