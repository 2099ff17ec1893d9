import { z } from 'zod';
import type { TagColor } from '#actors/representation.ts';
import type { Services } from '#src/services.ts';
import { anonymous, type CallerOf } from '#src/security/caller.ts';
import { version } from '#src/version.ts';
import { defineRead, ok } from '../operation.ts';

const service = z.object({ enabled: z.boolean(), healthy: z.boolean(), component: z.string() });
const userProfile = z.object({ id: z.string(), name: z.string().optional(), avatar_url: z.string().optional() });
const color = z.object({
  default: z.string(),
  background: z.string(),
  font: z.string(),
  border: z.string(),
  position: z.int(),
});

/** Six-digit hexadecimal colours without a leading `#`. */
const colors = {
  'tag-green': { default: '0E764F', background: 'F5FFFB', font: '0E764F', border: '0E764F', position: 3 },
  'tag-blue': { default: '1578D4', background: 'F5FBFF', font: '1578D4', border: '1578D4', position: 1 },
  'tag-red': { default: 'E0243A', background: 'FFF7F9', font: 'E0243A', border: 'E0243A', position: 2 },
  'tag-purple': { default: '730A80', background: 'FEF7FF', font: '730A80', border: '730A80', position: 4 },
} satisfies Record<TagColor, z.output<typeof color>>;

export const clientConfig = defineRead({
  path: '/client.config',
  summary: 'What this instance is and which services it runs.',
  auth: 'core',
  keys: 'bound',
  request: z.object({}),
  example: {},
  responses: {
    200: z.object({
      cluster_version: z.string(),
      services: z.record(z.string(), service),
      user_profile: userProfile.nullable().describe('Who calls; null: nobody that the hub knows.'),
      tag_config: z.object({ colors: z.record(z.string(), color) }),
    }),
  },
  errors: [],
  handle: ({ services, caller }) =>
    ok({
      cluster_version: version,
      services: servicesOf(services),
      user_profile: profileOf(caller),
      tag_config: { colors },
    }),
});

/** Whom the credential names, also on an API that asks for none. */
const profileOf = ({ sender }: CallerOf<'core'>): z.output<typeof userProfile> | null =>
  sender.id === anonymous.id ? null : sender;

/**
 * Service → component (docs/api.md, "Client configuration"). A service is enabled as the configuration says, and
 * healthy when this program runs it and is healthy itself.
 */
function servicesOf({ config, health }: Services): Record<string, z.output<typeof service>> {
  const healthy = health.every(({ problem }) => problem() === null);
  const running = (component: string, enabled = true) => ({ enabled, healthy: enabled && healthy, component });
  /** No part of this program. */
  const absent = (component: string, enabled: boolean) => ({ enabled, healthy: false, component });
  const { 'source-api': sourceApi, webhook, contacts } = config.integration;
  const { pageplatform, cloudmsg, bizmaps, telco, chatplugin } = config.components.sources;
  const connector = (name: string, component: string, enabled: boolean) => ({
    [`sources-${name}-connector`]: absent(component, enabled),
    [`sources-${name}-events-router`]: absent(component, enabled),
  });
  return {
    'api-communication': running('api-communication'),
    'api-admin': running('api-admin'),
    'api-websocket': running('api-websocket'),
    'source-api': running('integration-source-api', sourceApi.enabled),
    'webhook-publisher': running('integration-webhook', webhook.enabled),
    'webhook-consumer': running('integration-webhook', webhook.enabled),
    'api-contacts': absent('api-contacts', contacts.enabled),
    'media-resolver': absent('media-resolver', false),
    ...connector('pageplatform', 'sources-pageplatform', pageplatform !== undefined),
    ...connector('bizmaps', 'sources-bizmaps', bizmaps !== undefined),
    ...connector('telco', 'sources-telco', telco !== undefined),
    'sources-chatapp-connector': absent('sources-chatapp', cloudmsg !== undefined),
    'sources-chatplugin': absent('sources-chat-plugin', chatplugin !== undefined),
    'frontend-chat-plugin': absent('sources-chat-plugin', false),
    'frontend-ui': absent('frontend-ui', false),
  };
}
