import { type Config, Secret } from '#src/config/config.ts';
import { sealKeysOf } from '#src/security/seal-key.ts';

export const systemToken = 's'.repeat(32);
export const jwtSecret = 'a jwt secret for tests, long enough';

/** Of files that hubs with the test's configuration share. */
export const sealKeys = sealKeysOf({ jwtSecret: new Secret(jwtSecret) });

/** Every optional feature on, authentication off, any free port. */
export function testConfig(security: Partial<Config['security']> = {}): Config {
  return {
    server: { host: '127.0.0.1', port: 0, publicUrl: '', metricsPort: 0, trustedProxies: [] },
    data: { dir: './data', durability: 'full', shards: 1 },
    nats: { url: '' },
    security: {
      jwtSecret: new Secret(jwtSecret),
      systemToken: new Secret(systemToken),
      authentication: false,
      allowUnauthenticated: false,
      allowedOrigins: [],
      ...security,
    },
    integration: { 'source-api': { enabled: true }, contacts: { enabled: true }, webhook: { enabled: true, name: '' } },
    components: { sources: { chatplugin: {} } },
    outgoing: { allowNetworks: [] },
    delivery: { giveUpAfter: 600_000 },
    visitors: {
      ...{ authenticationsPerAddress: 10_000, authenticationsPerChannel: 10_000 },
      ...{ sendsPerAddress: 10_000, sendsPerChannel: 10_000 },
    },
    media: { maxSize: 1024 * 1024, maxTotal: 1024 ** 3, minFree: 1024, types: ['*'] },
    retention: { journal: 0, deliveries: 0, raw: 7 * 86_400_000 },
  };
}
