import { expect, test } from 'vitest';
import { startDispatch } from '#src/node/owner-dispatch.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { startApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';

/** A receiver that answers when the test says so. */
class HeldReceiver implements OutgoingClient {
  readonly got: string[] = [];
  readonly #waiting: (() => void)[] = [];
  held = false;

  send({ body }: { body?: Uint8Array | string }) {
    const { message } = (JSON.parse(String(body)) as { payload: { message: { content: { text: string } } } }).payload;
    this.got.push(message.content.text);
    return new Promise<Awaited<ReturnType<OutgoingClient['send']>>>((resolve) => {
      const answer = () =>
        resolve({ kind: 'answered', status: 204, headers: {}, body: '', truncated: false, durationMs: 1 });
      if (this.held) this.#waiting.push(answer);
      else answer();
    });
  }

  release(): void {
    this.held = false;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  async close(): Promise<void> {}
}

async function start() {
  const receiver = new HeldReceiver();
  const api = await startApi();
  const dispatch = startDispatch(api.services, { sources: receiver, webhooks: receiver, metrics: api.metrics });
  const source = await api.addSource('shop');
  await api.post('/webhooks.subscribe', { url: 'https://crm.example', events: ['message.created'] });
  const webhook = (enabled: boolean) =>
    api.post('/components.update', { components: [{ name: 'integration-webhook', enabled }] });
  const got = (count: number) => until(`${count} events`, () => receiver.got.length >= count);
  return {
    ...{ dispatch, api, receiver, source, webhook, got },
    async [Symbol.asyncDispose]() {
      receiver.release();
      await dispatch.stop();
      await api[Symbol.asyncDispose]();
    },
  };
}

test('what happens while webhooks are off is sent when they are on', async () => {
  await using hub = await start();
  await hub.source.push('ann', '1');
  await hub.got(1);
  await hub.webhook(false);
  await hub.source.push('ann', '2', '3');
  hub.api.system.clock.advance(5_000);
  await hub.webhook(true);
  await hub.got(3);
  expect(hub.receiver.got).toEqual(['1', '2', '3']);
});

test('what is under way when they are switched off is recorded', async () => {
  await using hub = await start();
  hub.receiver.held = true;
  await hub.source.push('ann', '1');
  await hub.got(1);
  await hub.webhook(false);
  await hub.webhook(true);
  await hub.source.push('ann', '2');
  // A receiver has longer than a hub that stops waits for it.
  hub.api.system.clock.advance(10_000);
  for (let n = 0; n < 3; n++) await hub.api.post('/webhooks.list');
  hub.receiver.release();
  await hub.got(2);
  await until('recorded', () => {
    hub.api.system.clock.advance(100);
    return hub.api.reader.webhooks.queueDepth().every(({ behind }) => behind === 0);
  });
  expect(hub.receiver.got).toEqual(['1', '2']);
});

test('a hub that stops does not wait for what is switched off', async () => {
  await using hub = await start();
  hub.receiver.held = true;
  await hub.source.push('ann', '1');
  await hub.got(1);
  await hub.api.post('/components.uninstall', { name: 'integration-webhook' });
  const stopped = hub.dispatch.stop();
  hub.api.system.clock.advance(6_000);
  await stopped;
  expect(hub.receiver.got).toEqual(['1']);
});

test('uninstalling waits for what is under way', async () => {
  await using hub = await start();
  hub.receiver.held = true;
  await hub.source.push('ann', '1');
  await hub.got(1);
  await hub.api.post('/components.uninstall', { name: 'integration-webhook' });
  const status = async () => {
    const { body } = await hub.api.post<{ components: { name: string; installationStatus: string }[] }>(
      '/components.list',
    );
    return body.components.find(({ name }) => name === 'integration-webhook')?.installationStatus;
  };
  hub.api.system.clock.advance(1_000);
  expect(await status()).toBe('pending');
  hub.receiver.release();
  await until('uninstalled', async () => (await status()) === 'uninstalled');
  expect(hub.api.reader.webhooks.queueDepth()).toMatchObject([{ scheduled: 0, behind: 0 }]);
});
