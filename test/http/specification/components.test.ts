import { describe, expect, it } from 'vitest';
import { until } from '../../_support/source-client.ts';
import { chapter } from './chapter.ts';

// The specification: “Component”, “Client configuration”, “Endpoints / Components”; decisions §11.
const spec = chapter();

interface Component {
  name: string;
  installationStatus: string;
  [field: string]: string;
}

const list = async (): Promise<Component[]> =>
  (await spec.post<{ components: Component[] }>('components.list')).body.components;
const update = (...components: object[]) => spec.post('components.update', { components });
const configured = async () => (await spec.post<{ components: object }>('components.get')).body.components;
const services = async () =>
  (await spec.post<{ services: Record<string, { enabled: boolean }> }>('client.config')).body.services;

/** Installs a component, and waits until it says so. */
async function install(name: string): Promise<void> {
  expect(await spec.post('components.install', { name })).toMatchObject({ status: 202, body: null });
  await reached(name, 'installed');
}

const reached = (name: string, status: string): Promise<void> =>
  until(`${name} ${status}`, async () =>
    (await list()).some((each) => each.name === name && each.installationStatus === status),
  );

describe('components.list', () => {
  it('has the catalogue, every field a string', async () => {
    const components = await list();
    expect(components.map(({ name }) => name)).toEqual([
      ...['sources-pageplatform', 'sources-cloudmsg', 'sources-bizmaps', 'sources-telco', 'sources-chatplugin'],
      ...['integration-webhook', 'integration-source-api', 'api-contacts', 'media-resolver'],
    ]);
    const text = expect.any(String);
    for (const component of components) {
      expect(component).toEqual({
        ...{ availableFor: text, category: text, configurationValues: text, description: text, displayName: text },
        ...{ docs: text, isChannel: expect.stringMatching(/^(true|false)$/), name: text, price: text },
        ...{ repository: text, source: text },
        installationStatus: expect.stringMatching(/^(uninstalled|pending|installed)$/),
      });
      expect(JSON.parse(component['configurationValues']!)).toEqual(expect.any(Object));
    }
  });

  it('names the configuration keys of a source', async () => {
    const keysOf = async (name: string): Promise<string[]> => {
      const component = (await list()).find((each) => each.name === name);
      return Object.keys(JSON.parse(component!['configurationValues']!) as object);
    };
    expect(await keysOf('sources-pageplatform')).toEqual(['appId', 'appSecret', 'webhookSecret', 'apiBase']);
    expect(await keysOf('sources-bizmaps')).toEqual(['saFile', 'partnerKey', 'apiBase']);
  });
});

describe('components.install and components.uninstall', () => {
  it('answer 202, no body: pending, then done', async () => {
    await install('media-resolver');
    expect(await spec.post('components.uninstall', { name: 'media-resolver' })).toMatchObject({
      ...{ status: 202, body: null },
    });
    await reached('media-resolver', 'uninstalled');
    const events = await spec.events({ types: ['component.updated'] });
    const told = events.map(({ payload }) => payload).filter(({ name }) => name === 'media-resolver');
    const statuses = told.map(({ installation_status }) => installation_status);
    expect(statuses).toEqual(['pending', 'installed', 'pending', 'uninstalled']);
  });

  it('know no other component', async () => {
    expect((await spec.post('components.install', { name: 'sources-fax' })).status).toBe(404);
  });
});

describe('components.update and components.get', () => {
  const app = { app_id: 'app-4711', app_secret: 'the-secret-of-the-app', webhook_secret: 'a-word' };

  it('take snake_case and show camelCase, secrets masked', async () => {
    await install('sources-pageplatform');
    const asked = { name: 'sources-pageplatform', enabled: true, data: app };
    const { status, body } = await update(asked);
    expect([status, body]).toEqual([200, { components: { 'sources-pageplatform': true } }]);
    const pageplatform = { appId: 'app-4711', appSecret: 'the-...', webhookSecret: '...' };
    expect(await configured()).toMatchObject({ sources: { pageplatform } });
  });

  it('have saFile and partnerKey of bizmaps', async () => {
    await install('sources-bizmaps');
    const data = { sa_file: '{"type":"service_account"}', partner_key: 'a-long-partner-key' };
    expect((await update({ name: 'sources-bizmaps', enabled: true, data })).status).toBe(200);
    expect(await configured()).toMatchObject({ sources: { bizmaps: { saFile: '{"ty...', partnerKey: 'a-lo...' } } });
  });

  it('take camelCase too, and a name for the webhook', async () => {
    const { body } = await update({ name: 'integration-webhook', enabled: true, data: { name: 'webhook' } });
    expect(body).toEqual({ components: { 'integration-webhook': true } });
    await install('sources-cloudmsg');
    const data = { appId: 'app-1', appSecret: 'the-secret-of-it', webhookSecret: 'a-word-of-theirs' };
    expect((await update({ name: 'sources-cloudmsg', enabled: true, data })).body).toEqual({
      components: { 'sources-cloudmsg': true },
    });
  });

  it('leave out what is not installed, and still answer 200', async () => {
    const { status, body } = await update(
      { name: 'sources-telco', enabled: true, data: { account_sid: 'a', auth_token: 'b' } },
      { name: 'sources-fax', enabled: true },
      { name: 'api-contacts', enabled: true },
    );
    expect([status, body]).toMatchObject([200, { components: { 'api-contacts': true } }]);
    expect(Object.keys((body as { components: object }).components)).toEqual(['api-contacts']);
  });

  it('refuse names of fields that they do not know', async () => {
    const answer = await update({ name: 'api-contacts', enabled: true, colour: 'red' });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_request' }]);
  });
});

describe('components.delete', () => {
  it('answers {components: {<name>: true}}', async () => {
    await install('sources-telco');
    await update({ name: 'sources-telco', enabled: true, data: { account_sid: 'account-1', auth_token: 'a-token' } });
    expect(await configured()).toMatchObject({ sources: { telco: { accountSid: 'account-1', authToken: '...' } } });
    const { status, body } = await spec.post('components.delete', { components: ['sources-telco'] });
    expect([status, body]).toEqual([200, { components: { 'sources-telco': true } }]);
    expect((await configured()) as { sources: object }).not.toHaveProperty('sources.telco');
  });
});

describe('client.config', () => {
  const hex = expect.stringMatching(/^[0-9a-fA-F]{6}$/);
  const color = (position: number) => ({ default: hex, background: hex, font: hex, border: hex, position });

  it('has cluster_version, services, user_profile, tag_config', async () => {
    const { status, body } = await spec.post('client.config', {});
    expect([status, body]).toEqual([
      200,
      {
        ...{ cluster_version: expect.any(String), services: expect.any(Object), user_profile: null },
        tag_config: {
          colors: { 'tag-blue': color(1), 'tag-red': color(2), 'tag-green': color(3), 'tag-purple': color(4) },
        },
      },
    ]);
  });

  it.each([
    ['frontend-ui', 'frontend-ui'],
    ['source-api', 'integration-source-api'],
    ['sources-bizmaps-connector', 'sources-bizmaps'],
    ['sources-bizmaps-events-router', 'sources-bizmaps'],
    ['sources-chatapp-connector', 'sources-chatapp'],
    ['webhook-publisher', 'integration-webhook'],
    ['webhook-consumer', 'integration-webhook'],
    ['api-contacts', 'api-contacts'],
    ['api-communication', 'api-communication'],
    ['api-admin', 'api-admin'],
    ['api-websocket', 'api-websocket'],
    ['media-resolver', 'media-resolver'],
    ['sources-telco-connector', 'sources-telco'],
    ['sources-telco-events-router', 'sources-telco'],
    ['sources-chatplugin', 'sources-chat-plugin'],
    ['frontend-chat-plugin', 'sources-chat-plugin'],
    ['sources-pageplatform-connector', 'sources-pageplatform'],
    ['sources-pageplatform-events-router', 'sources-pageplatform'],
  ])('has the service %s of %s', async (service, component) => {
    const known = { enabled: expect.any(Boolean), healthy: expect.any(Boolean), component };
    expect((await services())[service]).toEqual(known);
  });

  it('has api-contacts enabled while contacts are', async () => {
    for (const enabled of [false, true]) {
      await update({ name: 'api-contacts', enabled });
      expect((await services())['api-contacts']).toEqual({ enabled, healthy: enabled, component: 'api-contacts' });
    }
  });
});
