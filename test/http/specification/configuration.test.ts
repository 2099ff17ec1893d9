import { describe, expect, it } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { configFile, jwtSecret, problemsOf, systemToken } from '../../config/files.ts';
import { chapter } from './chapter.ts';

// The specification: the table of optional features; decisions §12, whose file is the example.
// `retention.raw` is about what platforms send, and comes with their connectors.
const example = `
server:   { host: 127.0.0.1, port: 8080, publicUrl: "" }
data:     { dir: ./data, durability: full }          # full | normal
nats:     { url: "" }                                 # empty: embedded nats-server
security: { jwtSecret: ${jwtSecret}, systemToken: ${systemToken}, authentication: false, allowUnauthenticated: false, allowedOrigins: [], oidc: {} }
integration: { source-api: {enabled: true}, contacts: {enabled: true}, webhook: {enabled: true, name: webhook} }
components:
  sources:
    pageplatform: { appId: "1", appSecret: secret, webhookSecret: secret }
    cloudmsg: { appId: "1", appSecret: secret, webhookSecret: secret }
    bizmaps: { saFile: "{}", partnerKey: secret }
    telco: { accountSid: "1", authToken: secret }
    chatplugin: {}
outgoing: { allowNetworks: [] }                       # CIDRs that outgoing calls may reach besides public addresses
delivery: { giveUpAfter: 10m }
retention: { journal: 30d, deliveries: 30d }
`;

const off = chapter({
  PARLEY_INTEGRATION_CONTACTS_ENABLED: 'false',
  PARLEY_INTEGRATION_WEBHOOK_ENABLED: 'false',
});

describe('the configuration file', () => {
  it('of the decisions, §12, is taken as it is', () => {
    const { server, data, security, integration, components, delivery, outgoing } = loadConfig({
      ...{ file: configFile(example), env: {} },
    });
    expect([server.host, server.port, data.durability]).toEqual(['127.0.0.1', 8_080, 'full']);
    expect([security.authentication, security.oidc, outgoing.allowNetworks]).toEqual([false, undefined, []]);
    expect(integration).toEqual({
      ...{ 'source-api': { enabled: true }, contacts: { enabled: true } },
      webhook: { enabled: true, name: 'webhook' },
    });
    const sources = ['pageplatform', 'cloudmsg', 'bizmaps', 'telco', 'chatplugin'];
    expect(Object.keys(components.sources)).toEqual(sources);
    expect(delivery.giveUpAfter).toBe(600_000);
  });

  it.each([
    ['an unknown key', example.replace('journal', 'diary'), 'retention.diary is not known'],
    ['a wrong type', example.replace('8080', 'many'), 'server.port must be a whole number'],
    ['an open API for others', example.replace('127.0.0.1', '0.0.0.0'), 'security.authentication'],
    ['a missing secret', example.replace(/jwtSecret: [^,]+, /, ''), 'security.jwtSecret is missing'],
  ])('stops the start with %s: file, line, reason', (_, text, problem) => {
    expect(problemsOf(text)).toMatch(/parley\.yaml(:\d+)*/);
    expect(problemsOf(text)).toContain(problem);
  });

  it('gives way to PARLEY_SERVER_PORT', () => {
    const env = { PARLEY_SERVER_PORT: '9090' };
    expect(loadConfig({ file: configFile(example), env }).server.port).toBe(9_090);
  });
});

describe('an optional feature', () => {
  it.each([
    ['contacts.list', 'integration.contacts.enabled'],
    ['contacts.create', 'integration.contacts.enabled'],
    ['webhooks.list', 'integration.webhook.enabled'],
  ])('that is off: %s answers 409, naming %s', async (operation, key) => {
    const { status, body } = await off.post(operation, { display_name: 'Ann' });
    const error = expect.stringContaining(key);
    expect([status, body]).toMatchObject([409, { error, code: 'feature_disabled' }]);
  });

  it('gives existing conversations contacts once it is on', async () => {
    const conversation_id = await off.conversationOf('ann', 'hello');
    expect((await off.post('contacts.info', { conversation_id })).status).toBe(409);
    await off.post('components.install', { name: 'api-contacts' });
    await expect
      .poll(async () => (await off.post('contacts.info', { conversation_id })).body, { timeout: 5_000 })
      .toMatchObject({ conversations: { [conversation_id]: 'shop' } });
  });

  it('is known as a component that is off', async () => {
    const { body } = await off.post('client.config');
    expect(body).toMatchObject({ services: { 'webhook-publisher': { enabled: false, healthy: false } } });
  });
});
