import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { environmentName } from '#src/config/keys.ts';
import { simulatedSources } from '#src/doubles/sources.ts';
import { HubProcess } from '../_support/hub-process.ts';
import { until } from '../_support/source-client.ts';

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

test.each(simulatedSources.map(({ source }) => [source]))(
  'the demo plays with a double of %s',
  { timeout: 60_000 },
  async (source) => {
    await using hub = await HubProcess.start();
    const { stdout } = await run(process.execPath, [main, 'demo', '--source', source, '--workspace', hub.workspace]);
    expect(stdout).toContain(`A double of ${source} answers at http://127.0.0.1:`);
    expect(stdout.match(/Ada {2,}/g)).toHaveLength(3);
    expect(stdout.match(/delivered after \d+ ms/g)).toHaveLength(2);
    expect(stdout).toContain('The hub keeps 5 messages');
    expect(stdout).not.toContain('Not everything could be cleaned up');
    const configured = await hub.post<{ components: object }>('/components.get', {});
    expect(configured.body.components).toEqual({ sources: { chatplugin: {} } });
    const channels = await hub.post<{ data: unknown[] }>('/channels.list', { source });
    expect(channels.body.data).toEqual([]);
  },
);

test('the demo leaves a hub alone that has the platform itself', { timeout: 40_000 }, async () => {
  const telco = { accountSid: 'AC1', authToken: 'a-token' };
  const env = Object.entries(telco).map(([key, value]) => [
    environmentName(['components', 'sources', 'telco', key]),
    value,
  ]);
  await using hub = await HubProcess.start({ env: Object.fromEntries(env) });
  const args = [main, 'demo', '--source', 'telco.sms', '--workspace', hub.workspace];
  await expect(run(process.execPath, args)).rejects.toThrow('the hub is configured for the platform itself');
});

test('the demo does not replace what the API has set', { timeout: 40_000 }, async () => {
  await using hub = await HubProcess.start();
  const name = 'sources-telco';
  const data = { account_sid: 'AC1', auth_token: 'a-token', api_base: 'http://127.0.0.1:1' };
  await hub.post('/components.install', { name });
  const configure = () =>
    hub.post<{ components: object }>('/components.update', { components: [{ name, enabled: true, data }] });
  await until('it is configured', async () => name in (await configure()).body.components);
  const args = [main, 'demo', '--source', 'telco.sms', '--workspace', hub.workspace];
  await expect(run(process.execPath, args)).rejects.toThrow('that parley.yaml does not have');
  const { body } = await hub.post('/components.get', {});
  expect(body).toMatchObject({ components: { sources: { telco: { accountSid: 'AC1' } } } });
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
