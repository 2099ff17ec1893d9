import { describe, expect, it } from 'vitest';
import { componentActorId, conversationId } from '#actors/ids.ts';
import type { ConnectorFactory } from '#src/connectors/connector.ts';
import type { OutgoingClient, OutgoingRequest } from '#src/outgoing/client.ts';
import { startApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { lettersConnector, signatureOf } from './letters.ts';
import { box, letter } from './letters-specimen.ts';

/** The post office is there while telephony is configured, and calls itself after its account. */
const configured: ConnectorFactory = ({ components }) => {
  const account = components.sources.telco?.accountSid;
  if (account === undefined) return null;
  const { deliver, ...connector } = lettersConnector();
  return {
    ...connector,
    deliver: (delivery, tools) =>
      deliver(delivery, { ...tools, http: { send: (request) => tools.http.send({ ...request, url: account }) } }),
  };
};

const named = { name: 'sources-telco', inFile: true };
const account = (accountSid: string) => ({ name: named.name, enabled: true, data: { accountSid, authToken: 'token' } });

/** Who is called, and answers when the test says so. */
class HeldClient implements OutgoingClient {
  readonly calls: { request: OutgoingRequest; accept(number: string): void }[] = [];

  send(request: OutgoingRequest) {
    return new Promise<Awaited<ReturnType<OutgoingClient['send']>>>((resolve) => {
      const accept = (number: string): void =>
        resolve({
          ...{ kind: 'answered', status: 200, headers: {}, body: JSON.stringify({ number }) },
          ...{ truncated: false, durationMs: 1 },
        });
      if (request.url.endsWith('/whoami')) accept('');
      else this.calls.push({ request, accept });
    });
  }

  async close(): Promise<void> {}
}

/** A hub with telephony installed, but not configured, and the box of letters. */
async function start() {
  const client = new HeldClient();
  const api = await startApi({ connectors: [configured] });
  api.dispatch(client);
  await api.commands.send('channel', box, 'channel.connect', {
    ...{ source: 'letters', sourceChannelId: 'box-1', name: 'Box' },
  });
  await api.post('/components.install', { name: named.name });
  const status = async () => {
    const { body } = await api.post<{ components: Record<string, string>[] }>('/components.list');
    return body.components.find(({ name }) => name === named.name)?.['installationStatus'];
  };
  await until('installed', async () => (await status()) === 'installed');
  return {
    api,
    ...{ client, status },
    update: (...components: object[]) => api.post('/components.update', { components }),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

describe('a connector that is configured while the hub runs', () => {
  it('answers at its address from then on, until it is off', async () => {
    await using hub = await start();
    const body = JSON.stringify({ post: [letter] });
    const put = () => hub.api.post('/letters', body, { 'X-Letters-Signature': signatureOf(body) });
    expect((await put()).status).toBe(404);
    await hub.update(account('a'));
    expect((await put()).status).toBe(200);
    await hub.update({ name: named.name, enabled: false });
    expect((await put()).status).toBe(404);
  });

  it('ends what it had begun; its lane goes on with the new one', async () => {
    await using hub = await start();
    await hub.update(account('https://first.example'));
    const to = { channel_id: box, source_recipient_id: 'ann' };
    await hub.api.post('/messages.send', { ...to, message: { text: '1' } });
    await until('the first call', () => hub.client.calls.length === 1);
    await hub.update(account('https://second.example'));
    await hub.api.post('/messages.send', { ...to, message: { text: '2' } });
    hub.client.calls[0]!.accept('n-1');
    await until('the second call', () => hub.client.calls.length === 2);
    hub.client.calls[1]!.accept('n-2');
    const conversation_id = conversationId(box, 'ann');
    const states = async () =>
      (await hub.api.post<{ data: { state: string }[] }>('/messages.list', { conversation_id })).body.data.map(
        ({ state }) => state,
      );
    await until('both delivered', async () => (await states()).join() === 'delivered,delivered');
    const urls = hub.client.calls.map(({ request }) => request.url);
    expect(urls).toEqual(['https://first.example', 'https://second.example']);
  });

  it('is uninstalled when it has ended what it had begun', async () => {
    await using hub = await start();
    await hub.update(account('https://first.example'));
    await hub.api.post('/messages.send', { channel_id: box, source_recipient_id: 'ann', message: { text: '1' } });
    await until('the call', () => hub.client.calls.length === 1);
    await hub.api.post('/components.uninstall', { name: named.name });
    hub.api.system.clock.advance(1_000);
    expect(await hub.status()).toBe('pending');
    hub.client.calls[0]!.accept('n-1');
    await until('uninstalled', async () => (await hub.status()) === 'uninstalled');
  });

  it('is made anew only when something has changed', async () => {
    await using hub = await start();
    await hub.update(account('a'));
    const [connector] = hub.api.services.connectors.all;
    hub.api.system.clock.advance(5_000);
    await hub.update({ name: 'sources-pigeon', enabled: true });
    expect(hub.api.services.connectors.all[0]).toBe(connector);
    await hub.update(account('b'));
    expect(hub.api.services.connectors.all[0]).not.toBe(connector);
  });

  it('follows what another node has stored', async () => {
    await using hub = await start();
    const configuration = { secret: JSON.stringify(account('c').data), shown: {} };
    const change = { ...named, enabled: true, configuration };
    await hub.api.commands.send('component', componentActorId(named.name), 'component.update', change);
    await until('followed', () => hub.api.services.connectors.all.length === 1);
    expect(hub.api.services.config.components.sources.telco?.accountSid).toBe('c');
  });
});
