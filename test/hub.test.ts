import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ChangeRecord } from '#actors/log/shard-log.ts';
import type { Logger } from '#actors/ports.ts';
import { createHub, type HubOverrides } from '#src/hub.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { ManualClock } from './_support/manual-clock.ts';
import { MemoryBus } from './_support/memory-bus.ts';
import { testConfig } from './_support/config.ts';

const accepted: OutgoingResult = {
  ...{ kind: 'answered', status: 200, headers: {}, body: '{}' },
  ...{ truncated: false, durationMs: 1 },
};

test('a hub never calls its own ports', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-hub-'));
  const config = testConfig();
  const outgoing = { allowNetworks: ['127.0.0.0/8'] };
  const hub = await createHub({ ...config, data: { ...config.data, dir }, outgoing }, undefined, {
    bus: new MemoryBus(),
  });
  onTestFinished(async () => {
    await hub.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const { url, metricsUrl } = await hub.start();
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
    return (await response.json()) as { id: string; reason: string };
  };
  for (const target of [`${url}/client.config`, metricsUrl]) {
    const { id } = await post('/webhooks.subscribe', { url: target });
    expect([target, (await post('/webhooks.test', { id })).reason]).toEqual([target, 'address_not_allowed']);
  }
});

/** A hub of which every part that can be overridden is a double that notes its use. */
async function start() {
  const dir = mkdtempSync(join(tmpdir(), 'parley-hub-'));
  const lines: string[] = [];
  const note = (_fields: object, event: string): void => void lines.push(event);
  const log: Logger = { info: note, warn: note, error: note };
  const records: ChangeRecord[] = [];
  const calls: OutgoingRequest[] = [];
  let made = 0;
  const overrides: Required<HubOverrides> = {
    clock: new ManualClock(),
    ids: { uuid: () => `00000000-0000-7000-8000-${String(++made).padStart(12, '0')}`, random: () => 0 },
    log,
    bus: new MemoryBus(),
    shardLog: {
      replicated: false,
      append: (record) => void records.push(record),
      tail: async () => [],
    },
    client: {
      async send(request) {
        calls.push(request);
        return accepted;
      },
      close: () => Promise.resolve(),
    },
  };
  const config = testConfig();
  const hub = await createHub({ ...config, data: { ...config.data, dir } }, undefined, overrides);
  onTestFinished(async () => {
    await hub.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const { url } = await hub.start();
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  return { hub, post, url, lines, records, calls };
}

test('overrides reach host, dispatchers and front', async () => {
  const { hub, post, lines, records, calls } = await start();
  const subscribed = await post('/webhooks.subscribe', { url: 'https://crm.example/events' });
  expect(subscribed.headers.get('x-request-id')).toMatch(/^00000000-0000-7000-8000-/);
  const { id } = (await subscribed.json()) as { id: string };
  expect(id).toMatch(/^00000000-0000-7000-8000-/);
  expect((await post('/webhooks.test', { id })).status).toBe(200);
  expect(calls.map(({ url }) => url)).toEqual(['https://crm.example/events']);
  expect(Number(calls[0]!.headers['webhook-timestamp'])).toBe(Date.UTC(2026, 0, 1) / 1_000);
  expect(records.map(({ shard, lsn }) => [shard, lsn])).toEqual([[0, 1]]);
  expect(lines).toEqual(expect.arrayContaining(['batch.committed', 'operation.answered']));
  expect(hub.natsPid).toBeNull();
});

test('a hub with its parts overridden is ready, and stops', async () => {
  const { hub, url, lines } = await start();
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  await hub.stop();
  await expect(fetch(url)).rejects.toThrow();
  expect(lines).not.toContain('hub.stop_problem');
});

test('a hanging nats-server makes the hub unready for a while', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-hub-'));
  const config = testConfig();
  const hub = await createHub({ ...config, data: { ...config.data, dir } }, undefined, {});
  onTestFinished(async () => {
    await hub.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const { url } = await hub.start();
  const ready = async () => (await (await fetch(`${url}/health/ready`)).json()) as { problems?: { part: string }[] };
  process.kill(hub.natsPid!, 'SIGSTOP');
  await vi.waitFor(async () => expect((await ready()).problems?.[0]?.part).toBe('nats'), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await ready()).toEqual({ status: 'ok' }), { timeout: 15_000 });
}, 30_000);
