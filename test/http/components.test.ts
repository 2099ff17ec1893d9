import { describe, expect, it } from 'vitest';
import { componentActorId } from '#actors/ids.ts';
import type { EventJson } from '#actors/representation.ts';
import { catalogue, keysOf } from '#src/config/catalogue.ts';
import type { Config } from '#src/config/config.ts';
import { Secret } from '#src/config/config.ts';
import { type Answered, answering, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';
import { until } from '../_support/source-client.ts';
import { eventsOf, expectSound, rowsOf } from '../actors/support.ts';

const telco = { account_sid: 'account-1', auth_token: 'a-token-of-the-account' };
const apiBase = 'https://api.twilio.com';
const shownTelco = { accountSid: 'account-1', authToken: 'a-to...', apiBase };

interface Listed {
  name: string;
  installationStatus: string;
  [field: string]: string;
}

interface Updated {
  components: Record<string, boolean>;
  problems?: { path: string; problem: string }[];
}

/** A hub with its dispatchers, and what these tests ask it for. */
async function start(config: Config = withSources({})) {
  const api = await startApi({ config });
  api.dispatch(answering(204, ''));
  return { api, ...asked(api), [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

function asked(api: TestApi) {
  const list = async (): Promise<Listed[]> =>
    (await api.post<{ components: Listed[] }>('/components.list')).body.components;
  const statusOf = async (name: string) =>
    (await list()).find((component) => component.name === name)?.installationStatus;
  return {
    list,
    statusOf,
    settled: (name: string, status: string) =>
      until(`${name} ${status}`, async () => (await statusOf(name)) === status),
    install: (name: string) => api.post('/components.install', { name }),
    uninstall: (name: string) => api.post('/components.uninstall', { name }),
    update: (...components: object[]): Promise<Answered<Updated>> => api.post('/components.update', { components }),
    remove: (...components: string[]) =>
      api.post<{ components: object }>('/components.delete', { components }).then(({ body }) => body.components),
    sources: async () =>
      (await api.post<{ components: { sources: object } }>('/components.get')).body.components.sources,
  };
}

/** A hub whose file has these sources. */
const withSources = (sources: Config['components']['sources']): Config => ({
  ...testConfig(),
  components: { sources },
});

const withTelco = (): Config =>
  withSources({
    telco: {
      apiBase,
      accountSid: 'account-0',
      authToken: new Secret('the-token-of-the-file'),
    },
  });

describe('the list of components', () => {
  it('has every component, with the fields of the specification', async () => {
    await using hub = await start();
    const components = await hub.list();
    expect(components.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name));
    const fields = ['availableFor', 'category', 'configurationValues', 'description', 'displayName', 'docs'];
    const others = ['installationStatus', 'isChannel', 'name', 'price', 'repository', 'source'];
    for (const component of components) {
      expect(Object.keys(component).sort()).toEqual([...fields, ...others]);
      for (const value of Object.values(component)) expect(value).toEqual(expect.any(String));
    }
    expect(components.find(({ name }) => name === 'sources-telco')).toMatchObject({
      ...{ installationStatus: 'uninstalled', isChannel: 'true', source: 'telco' },
      configurationValues: '{"accountSid":"text","authToken":"secret","apiBase":"URL"}',
    });
  });

  it('shows as installed what the file has on', async () => {
    await using hub = await start(withTelco());
    const installed = (await hub.list()).filter(({ installationStatus }) => installationStatus === 'installed');
    const names = ['sources-telco', 'integration-webhook', 'integration-source-api', 'api-contacts'];
    expect(installed.map(({ name }) => name)).toEqual(names);
  });

  it('finds the keys of everything that has a place in the file', () => {
    const configured = catalogue.filter((entry) => Object.keys(keysOf(entry)).length > 0);
    expect(configured.map(({ source }) => source)).toEqual(['pageplatform', 'cloudmsg', 'bizmaps', 'telco', 'webhook']);
  });
});

describe('installing', () => {
  it('switches a feature off and on while the hub runs', async () => {
    await using hub = await start();
    expect(await hub.uninstall('integration-webhook')).toMatchObject({ status: 202, body: null });
    expect(refusalOf(await hub.api.post('/webhooks.list'))).toEqual([409, 'feature_disabled']);
    await hub.settled('integration-webhook', 'uninstalled');
    expect(await hub.install('integration-webhook')).toMatchObject({ status: 202, body: null });
    expect((await hub.api.post('/webhooks.list')).status).toBe(200);
    await hub.settled('integration-webhook', 'installed');
    const told = eventsOf(hub.api.system).map(({ payload }) => payload.installation_status);
    expect(told).toEqual(['pending', 'uninstalled', 'pending', 'installed']);
    expectSound(hub.api.system);
  });

  it('gives contacts to what came while they were off', async () => {
    await using hub = await start();
    const source = await hub.api.addSource('shop');
    await hub.update({ name: 'api-contacts', enabled: false });
    await source.push('ann', 'Hello');
    expect(refusalOf(await hub.api.post('/contacts.list'))).toEqual([409, 'feature_disabled']);
    await hub.update({ name: 'api-contacts', enabled: true });
    await until('she has a contact', async () => {
      const { body } = await hub.api.post<{ data: unknown[] }>('/contacts.list');
      return body.data.length === 1;
    });
  });

  it('is told as events, with numbers of the component’s own', async () => {
    await using hub = await start();
    await hub.install('media-resolver');
    await hub.settled('media-resolver', 'installed');
    await hub.update({ name: 'api-contacts', enabled: false });
    const { body } = await hub.api.post<{ data: EventJson[] }>('/events.list', { types: ['component.updated'] });
    expect(body.data.map(({ subject, seq, payload }) => [subject.type, subject.id, seq, payload['name']])).toEqual([
      ['component', componentActorId('media-resolver'), 1, 'media-resolver'],
      ['component', componentActorId('media-resolver'), 2, 'media-resolver'],
      ['component', componentActorId('api-contacts'), 1, 'api-contacts'],
    ]);
  });

  it('says what it knows no component of', async () => {
    await using hub = await start();
    expect(refusalOf(await hub.install('sources-pigeon'))).toEqual([404, 'not_found']);
    expect(refusalOf(await hub.uninstall('sources-pigeon'))).toEqual([404, 'not_found']);
  });

  it('is there after a restart, whatever the file says', async () => {
    await using hub = await start();
    await hub.install('media-resolver');
    await hub.uninstall('integration-webhook');
    await hub.update({ name: 'integration-source-api', enabled: false });
    await hub.settled('integration-webhook', 'uninstalled');
    await hub.api.system.restart();
    const services = hub.api.system.services({ config: hub.api.config, awaited: answering(204, '') });
    const on = services.components().filter(({ isOn }) => isOn);
    services.close();
    expect(on.map(({ entry }) => entry.name)).toEqual(['api-contacts', 'media-resolver']);
  });
});

describe('configuring', () => {
  it('replaces the configuration at once', async () => {
    await using hub = await start();
    await hub.install('sources-telco');
    await hub.settled('sources-telco', 'installed');
    expect(await hub.sources()).toEqual({});
    const { status, body } = await hub.update({ name: 'sources-telco', enabled: true, data: telco });
    expect([status, body]).toEqual([200, { components: { 'sources-telco': true } }]);
    expect(await hub.sources()).toEqual({ telco: shownTelco });
    expect(hub.api.services.config.components.sources.telco?.authToken.reveal()).toBe(telco.auth_token);
    await hub.update({ name: 'sources-telco', enabled: false, data: { accountSid: 'account-2', authToken: 'short' } });
    expect(await hub.sources()).toEqual({ telco: { accountSid: 'account-2', authToken: '...', apiBase } });
    expect(hub.api.services.config.components.sources).toEqual({});
  });

  it.each([
    ['is not installed', { name: 'sources-telco', enabled: true, data: telco }, 'is not installed'],
    ['does not exist', { name: 'sources-pigeon', enabled: true, data: { loft: 1 } }, 'There is no component'],
    ['lacks a key', { name: 'sources-bizmaps', enabled: true, data: { sa_file: '{}' } }, 'partnerKey is missing'],
    ['has no configuration', { name: 'sources-bizmaps', enabled: true }, 'partnerKey is missing'],
    ['has a value of another type', { name: 'integration-webhook', enabled: true, data: { name: 7 } }, 'must be text'],
  ])('leaves out one that %s, and says why', async (_, change, problem) => {
    await using hub = await start();
    await hub.install('sources-bizmaps');
    await hub.settled('sources-bizmaps', 'installed');
    const good = { name: 'api-contacts', enabled: false };
    const { status, body } = await hub.update(good, change);
    expect(status).toBe(200);
    expect(body).toEqual({
      components: { 'api-contacts': false },
      problems: [{ path: 'components[1]', problem: expect.stringContaining(problem) }],
    });
    expect(await hub.sources()).toEqual({});
  });

  it.each([
    ['a key that it has not', { data: { auth_token: 't', colour: 'red' } }, 'components[0].data.colour'],
    ['a key twice', { data: { auth_token: 't', authToken: 't' } }, 'components[0].data.authToken'],
    ['a field that there is none of', { enable: true }, 'components[0]'],
  ])('refuses %s', async (_, fields, path) => {
    await using hub = await start(withTelco());
    const change = { name: 'sources-telco', enabled: false, ...fields };
    const { status, body } = await hub.api.post<Refusal>('/components.update', { components: [change] });
    expect([status, body.code, body.details?.map((detail) => detail.path)]).toEqual([400, 'invalid_request', [path]]);
    expect(hub.api.sent).toEqual([]);
  });

  it('is seen with the answer, though the signal gets lost', async () => {
    await using hub = await start(withTelco());
    hub.api.system.bus.publish = () => {};
    await hub.update({ name: 'sources-telco', enabled: true, data: telco });
    expect(await hub.sources()).toEqual({ telco: shownTelco });
  });

  it('takes a masked secret for the one it stands for', async () => {
    await using hub = await start(withTelco());
    expect(await hub.sources()).toEqual({ telco: { accountSid: 'account-0', authToken: 'the-...', apiBase } });
    await hub.update({ name: 'sources-telco', enabled: true, data: { accountSid: 'new', authToken: 'the-...' } });
    const { accountSid, authToken } = hub.api.services.config.components.sources.telco!;
    expect([accountSid, authToken.reveal()]).toEqual(['new', 'the-token-of-the-file']);
  });

  it('keeps the configuration of one that is uninstalled', async () => {
    await using hub = await start(withTelco());
    await hub.update({ name: 'sources-telco', enabled: true, data: telco });
    await hub.uninstall('sources-telco');
    await hub.settled('sources-telco', 'uninstalled');
    expect(await hub.sources()).toEqual({ telco: shownTelco });
    await hub.install('sources-telco');
    expect(hub.api.services.config.components.sources.telco?.accountSid).toBe('account-1');
  });

  it('is removed by components.delete, the file’s too', async () => {
    await using hub = await start(withTelco());
    expect(await hub.remove('sources-telco', 'sources-pigeon')).toEqual({ 'sources-telco': true });
    expect(await hub.sources()).toEqual({});
    expect(hub.api.services.config.components.sources).toEqual({});
    expect(await hub.statusOf('sources-telco')).toBe('installed');
  });

  it('shows no secret in events, the log and the file', async () => {
    await using hub = await start(withTelco());
    await hub.api.post(
      '/components.update',
      { components: [{ name: 'sources-telco', enabled: true, data: telco }] },
      { 'Idempotency-Key': 'once' },
    );
    const [event] = eventsOf(hub.api.system);
    expect(event).toMatchObject({ type: 'component.updated', payload: { configuration: shownTelco } });
    expect(JSON.stringify([hub.api.lines, rowsOf(hub.api.system.file)])).not.toContain(telco.auth_token);
  });

  it('leaves a configuration alone that the file would not take', async () => {
    await using hub = await start(withTelco());
    await hub.update({ name: 'sources-telco', enabled: true, data: telco });
    await hub.update({ name: 'sources-telco', enabled: true, data: { account_sid: '', auth_token: 't' } });
    expect(await hub.sources()).toEqual({ telco: shownTelco });
  });
});
