import { z } from 'zod';
import type { TagColor } from '#actors/representation.ts';
import type { Services } from '#src/services.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { ConnectorProblem } from '#src/connectors/health.ts';
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
 * healthy when this program runs it and is healthy itself; that of a source when its connectors are, too.
 */
function servicesOf(services: Services): Record<string, z.output<typeof service>> {
  const { config, features, health } = services;
  const healthy = health.every(({ problem }) => problem() === null);
  const running = (component: string, enabled = true) => ({ enabled, healthy: enabled && healthy, component });
  /** No part of this program. */
  const absent = (component: string, enabled: boolean) => ({ enabled, healthy: false, component });
  const { pageplatform, cloudmsg, bizmaps, telco, chatplugin } = config.components.sources;
  const source = (name: string, component: string, enabled: boolean) => ({
    ...{ enabled, component },
    healthy: enabled && healthy && isConnected(services, name),
  });
  const connector = (name: string, component: string, enabled: boolean) => ({
    [`sources-${name}-connector`]: source(name, component, enabled),
    [`sources-${name}-events-router`]: source(name, component, enabled),
  });
  return {
    'api-communication': running('api-communication'),
    'api-admin': running('api-admin'),
    'api-websocket': running('api-websocket'),
    'source-api': running('integration-source-api', features.isOn('source-api')),
    'webhook-publisher': running('integration-webhook', features.isOn('webhook')),
    'webhook-consumer': running('integration-webhook', features.isOn('webhook')),
    'api-contacts': running('api-contacts', features.isOn('contacts')),
    'media-resolver': absent('media-resolver', isOn(services, 'media-resolver')),
    ...connector('pageplatform', 'sources-pageplatform', pageplatform !== undefined),
    ...connector('bizmaps', 'sources-bizmaps', bizmaps !== undefined),
    ...connector('telco', 'sources-telco', telco !== undefined),
    'sources-chatapp-connector': source('cloudmsg', 'sources-chatapp', cloudmsg !== undefined),
    'sources-chatplugin': source('chatplugin', 'sources-chat-plugin', chatplugin !== undefined),
    'frontend-chat-plugin': running('sources-chat-plugin', chatplugin !== undefined),
    'frontend-ui': absent('frontend-ui', false),
  };
}

const isOn = ({ components }: Services, name: string): boolean =>
  components().some(({ entry, isOn: on }) => entry.name === name && on);

/**
 * Whether this program speaks to a source, or to the sources below its name, and nothing is known against it. A
 * connector that can tell has to have told: until then nobody has measured anything.
 */
function isConnected({ connectors, connectorHealth }: Services, source: string): boolean {
  const speakers = connectors.all.filter(
    ({ sources }) =>
      sources !== 'registered' && sources.some((name) => name === source || name.startsWith(`${source}.`)),
  );
  return speakers.length > 0 && speakers.every((speaker) => isWell(speaker, connectorHealth.problemOf(speaker)));
}

const isWell = ({ checker }: Connector, problem: ConnectorProblem): boolean =>
  problem === null || (problem === undefined && checker === undefined);
