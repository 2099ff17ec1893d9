import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HubProcess } from '../_support/hub-process.ts';
import { until } from '../_support/source-client.ts';
import { checkFile } from './crash/ledger.ts';

const secret = 'the-token-of-the-account';
const data = { account_sid: 'account-1', auth_token: secret };

type Listed = { components: { name: string; installationStatus: string }[] };

async function statusOf(hub: HubProcess, name: string): Promise<string | undefined> {
  const { body } = await hub.post<Listed>('/components.list', {});
  return body.components.find((component) => component.name === name)?.installationStatus;
}

const configured = async (hub: HubProcess): Promise<unknown> =>
  (await hub.post<{ components: object }>('/components.get', {})).body.components;

test('components are as they were told, kill after kill', { timeout: 60_000 }, async () => {
  await using hub = await HubProcess.start();
  expect((await hub.post('/components.install', { name: 'sources-telco' })).status).toBe(202);
  await hub.kill();
  await hub.start();
  await until('installed', async () => (await statusOf(hub, 'sources-telco')) === 'installed');
  await hub.post('/components.update', { components: [{ name: 'sources-telco', enabled: true, data }] });
  expect((await hub.post('/components.uninstall', { name: 'integration-webhook' })).status).toBe(202);
  await hub.kill();
  await hub.start();
  expect((await hub.post('/webhooks.list', {})).status).toBe(409);
  await until('uninstalled', async () => (await statusOf(hub, 'integration-webhook')) === 'uninstalled');
  const telco = { accountSid: 'account-1', authToken: 'the-...', apiBase: 'https://api.twilio.com' };
  // The chat plugin is there without a word of anybody.
  expect(await configured(hub)).toEqual({ sources: { telco, chatplugin: {} } });
  await hub.post('/components.install', { name: 'integration-webhook' });
  expect((await hub.post('/webhooks.list', {})).status).toBe(200);
  const file = readFileSync(hub.file);
  const log = readFileSync(`${hub.file}-wal`);
  expect([file, log].some((bytes) => bytes.includes(secret))).toBe(false);
  expect(JSON.stringify(hub.log)).not.toContain(secret);
  expect(await hub.stop()).toBe(0);
  expect(checkFile(hub.file).problems).toEqual([]);
});
