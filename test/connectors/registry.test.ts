import { describe, expect, it } from 'vitest';
import { createApp } from '#src/http/app.ts';
import type { Connector } from '#src/connectors/connector.ts';
import { createConnectors, factories } from '#src/connectors/registry.ts';
import { Bodies } from '#src/http/bodies.ts';
import { RequestQueues } from '#src/http/request-queues.ts';
import { UpdateReceiver } from '#src/ingest/receiver.ts';
import { Metrics } from '#src/metrics.ts';
import { createGate } from '#src/security/gate.ts';
import { createAuth } from '#src/security/auth.ts';
import { Sightings } from '#src/security/sightings.ts';
import { startApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';
import { lettersConnector } from './letters.ts';

const but = (changes: Partial<Connector>) => () => ({ ...lettersConnector(), ...changes });
const claimedBy =
  (...listed: (() => Connector)[]) =>
  () =>
    createConnectors(testConfig(), listed);

describe('the registry', () => {
  it('puts the hub’s own connectors together', () => {
    expect(createConnectors(testConfig()).of({ source: 'shop', source_id: 'shop' })?.name).toBe('custom');
  });

  it('finds a connector by each of its sources', () => {
    const { of, routes } = createConnectors(testConfig(), [...factories, lettersConnector]);
    expect(['letters', 'letters.air', 'letters.sea'].map((source) => of({ source })?.name)).toEqual([
      'letters',
      'letters',
      undefined,
    ]);
    expect(of({ source: 'letters', source_id: 'letters' })?.name).toBe('custom');
    expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /letters', 'POST /letters']);
  });

  it('lists each connector once', () => {
    expect(new Set(factories).size).toBe(factories.length);
  });

  it('leaves out what is not configured', () => {
    const { of, routes } = createConnectors(testConfig(), [() => null, lettersConnector]);
    expect([of({ source: 'letters' })?.name, routes.length]).toEqual(['letters', 2]);
  });

  it('refuses two connectors for one source or address', () => {
    const [custom] = factories as [() => Connector];
    expect(claimedBy(custom, custom)).toThrow('claim registered sources');
    expect(claimedBy(lettersConnector, but({ routes: [] }))).toThrow('claim letters');
    expect(claimedBy(lettersConnector, but({ sources: [] }))).toThrow('claim GET /letters');
  });

  it.each(['/messages.send', '/messages.suggestReplies', '/health/live', '/openapi.json'] as const)(
    'gives no connector the address %s of the hub’s own',
    async (path) => {
      await using api = await startApi();
      const [, route] = lettersConnector().routes;
      const connectors = createConnectors(api.config, [but({ routes: [{ ...route!, path }] })]);
      const services = { ...api.services, connectors };
      const metrics = new Metrics();
      const receiver = new UpdateReceiver(services, metrics);
      const parts = { services, auth: createAuth(services, new Sightings(services)), metrics, receiver };
      const doors = {
        sockets: [],
        gate: createGate(api.config),
        bodies: new Bodies(),
        queues: new RequestQueues(api.services.clock),
      };
      expect(() => createApp({ ...parts, ...doors })).toThrow(`claims ${path}, which is the hub's own`);
    },
  );
});
