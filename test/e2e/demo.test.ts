import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('a start on loopback has a channel to chat on', { timeout: 40_000 }, async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'parley-start-'));
  const env = { ...process.env, PARLEY_SERVER_METRICS_PORT: '0' };
  const child = spawn(process.execPath, [main, 'start', '--port', '0', '--workspace', workspace], { env });
  try {
    let shown = '';
    for await (const chunk of child.stdout) {
      shown += chunk;
      if (shown.includes('Ctrl-C')) break;
    }
    const [, host, channel_id] = /Chat +(http:\S+)\/chatplugin\/ui\/example\?channel_id=(\S+)/.exec(shown)!;
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${host}/chatplugin.authenticate`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ channel_id }),
    });
    expect(answer.status).toBe(200);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit').catch(() => {});
    rmSync(workspace, { recursive: true, force: true });
  }
});

test('SIGTERM drains and ends the hub with exit code 0', { timeout: 40_000 }, async () => {
  await using hub = await HubProcess.start();
  const asked = Date.now();
  expect(await hub.stop()).toBe(0);
  expect(Date.now() - asked).toBeLessThan(5_000);
});
