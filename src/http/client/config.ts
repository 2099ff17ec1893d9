import { z } from 'zod';
import type { Services } from '#src/services.ts';
import { version } from '#src/version.ts';
import { defineOperation, ok } from '../operation.ts';

const service = z.object({ enabled: z.boolean(), healthy: z.boolean(), component: z.string() });
const color = z.object({
  default: z.string(),
  background: z.string(),
  font: z.string(),
  border: z.string(),
  position: z.int(),
});

/** Six-digit hexadecimal colours without a leading `#`. */
const tagColors = {
  'tag-green': { default: '0E764F', background: 'F5FFFB', font: '0E764F', border: '0E764F', position: 3 },
  'tag-blue': { default: '1578D4', background: 'F5FBFF', font: '1578D4', border: '1578D4', position: 1 },
  'tag-red': { default: 'E0243A', background: 'FFF7F9', font: 'E0243A', border: 'E0243A', position: 2 },
  'tag-purple': { default: '730A80', background: 'FEF7FF', font: '730A80', border: '730A80', position: 4 },
};

export const clientConfig = defineOperation({
  path: '/client.config',
  summary: 'What this instance is and which services it runs.',
  auth: 'core',
  request: z.object({}),
  example: {},
  responses: {
    200: z.object({
      cluster_version: z.string(),
      services: z.record(z.string(), service),
      user_profile: z.null(),
      tag_config: z.object({ colors: z.record(z.string(), color) }),
    }),
  },
  errors: [],
  handle: ({ services }) =>
    ok({
      cluster_version: version,
      services: servicesOf(services),
      user_profile: null,
      tag_config: { colors: tagColors },
    }),
});

/** Service → component (hub-api.md, "Client configuration"): those that this program runs. */
function servicesOf({ config, health }: Services): Record<string, z.output<typeof service>> {
  const healthy = health.every(({ problem }) => problem() === null);
  const entry = (component: string, enabled: boolean) => ({ enabled, healthy: enabled && healthy, component });
  const { 'source-api': sourceApi } = config.integration;
  return {
    'api-communication': entry('api-communication', true),
    'api-admin': entry('api-admin', true),
    'api-websocket': entry('api-websocket', true),
    'source-api': entry('integration-source-api', sourceApi.enabled),
  };
}
