import { describe, expect, it } from 'vitest';
import { type Config, Secret } from '#src/config/config.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { answering, startApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';
import { until } from '../_support/source-client.ts';
import { lettersConnector } from './letters.ts';
import { box } from './letters-specimen.ts';

/** A hub whose telephony is the post office. */
const config = (): Config => ({
  ...testConfig(),
  components: {
    sources: { telco: { apiBase: 'https://platform.example', accountSid: 'a', authToken: new Secret('t') } },
  },
});

/** Answers checks and calls with the status of the moment. */
function answeringNow(status: { check: number; call: number }): OutgoingClient & { checks: number } {
  return {
    checks: 0,
    send(request) {
      const isCheck = request.url.endsWith('/whoami');
      if (isCheck) this.checks++;
      return answering(isCheck ? status.check : status.call, { number: 'n' }).send(request);
    },
    close: async () => {},
  };
}

async function start(changes: Partial<Connector>, status: { check: number; call: number }) {
  const client = answeringNow(status);
  const { checker: _, ...unchecked } = lettersConnector();
  const connector: Connector = { ...unchecked, sources: ['telco.sms'], ...changes };
  const api = await startApi({ config: config(), connectors: [() => connector] });
  const service = async () => {
    const { body } = await api.post<{ services: Record<string, { enabled: boolean; healthy: boolean }> }>(
      '/client.config',
    );
    return body.services['sources-telco-connector'];
  };
  return {
    ...{ api, client, service },
    isHealthy: async () => (await service())?.healthy,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const { checker } = lettersConnector();

describe('the health of a connector', () => {
  it('is measured: until a check has ended nobody knows it', async () => {
    const status = { check: 200, call: 200 };
    await using hub = await start({ checker: checker! }, status);
    expect(await hub.service()).toEqual({ enabled: true, healthy: false, component: 'sources-telco' });
    hub.api.dispatch(hub.client);
    await until('healthy', async () => (await hub.isHealthy()) === true);
  });

  it('is lost with rejected credentials, and comes back', async () => {
    const status = { check: 401, call: 200 };
    await using hub = await start({ checker: checker! }, status);
    hub.api.dispatch(hub.client);
    await until('checked', () => hub.api.lines.some(({ event }) => event === 'connector.not_healthy'));
    expect(await hub.service()).toMatchObject({ enabled: true, healthy: false });
    status.check = 200;
    hub.api.system.clock.advance(60_000);
    await until('healthy', async () => (await hub.isHealthy()) === true);
    expect(hub.client.checks).toBe(2);
  });

  it('follows from the last message where nothing can be asked', async () => {
    const status = { check: 0, call: 503 };
    await using hub = await start({}, status);
    hub.api.dispatch(hub.client);
    expect(await hub.isHealthy()).toBe(true);
    const channel = { source: 'telco.sms', sourceChannelId: 'box-1', name: 'Box' };
    await hub.api.commands.send('channel', box, 'channel.connect', channel);
    await hub.api.post('/messages.send', { channel_id: box, source_recipient_id: 'ann', message: { text: '1' } });
    await until('ill', async () => (await hub.isHealthy()) === false);
    status.call = 200;
    await until('well', async () => {
      hub.api.system.clock.advance(1_000);
      return (await hub.isHealthy()) === true;
    });
  });

  it('is never good of what is off, or is not there', async () => {
    await using hub = await start({}, { check: 200, call: 200 });
    await hub.api.post('/components.update', { components: [{ name: 'sources-telco', enabled: false }] });
    expect(await hub.service()).toMatchObject({ enabled: false, healthy: false });
    const { body } = await hub.api.post<{ services: Record<string, object> }>('/client.config');
    expect(body.services['sources-bizmaps-connector']).toMatchObject({ enabled: false, healthy: false });
  });

  it('survives a check that fails by a defect', async () => {
    const broken = { check: () => Promise.reject(new Error('a defect')) };
    await using hub = await start({ checker: broken }, { check: 200, call: 200 });
    hub.api.dispatch(hub.client);
    await until('noticed', () => hub.api.lines.some(({ event }) => event === 'connector.check_failed'));
    expect(await hub.isHealthy()).toBe(false);
  });
});
