import type { Logger } from '#actors/ports.ts';
import type { ChannelJson } from '#actors/representation.ts';
import type { Config } from '#src/config/config.ts';
import type { LiveConfig } from '#src/config/live.ts';
import type { AccountForm } from './accounts.ts';
import type { Connector, ConnectorFactory, InboundRoute } from './connector.ts';
import { bizmapsConnector } from './bizmaps/connector.ts';
import { chatPluginConnector } from './chat-plugin/connector.ts';
import { source, visits } from './chat-plugin/visits.ts';
import { cloudmsgConnector } from './cloudmsg/connector.ts';
import { customConnector } from './custom/connector.ts';
import { push } from './custom/inbound.ts';
import { telcoConnector } from './telco/connector.ts';
import { pageplatformConnector } from './pageplatform/connector.ts';

/** Every connector of the hub: one line each. */
export const factories: readonly ConnectorFactory[] = [
  customConnector,
  chatPluginConnector,
  bizmapsConnector,
  telcoConnector,
  pageplatformConnector,
  cloudmsgConnector,
];

/** What people connect by the API. */
export const accountForms: readonly AccountForm[] = factories.flatMap(({ accounts = [] }) => accounts);

/** The hub's own sources: nothing that is registered may have such a name, or one below it. */
const ownSources = ['chatplugin', 'pageplatform', 'photoplatform', 'cloudmsg', 'bizmaps', 'telco'];

/** Whether an id is kept for the hub's own sources: `telco`, and `telco.sms` too. */
export const isReservedSource = (sourceId: string): boolean =>
  ownSources.includes(sourceId.toLowerCase().split('.', 1)[0]!);

/** Who reads what registered sources push to the API. */
export const pushReceiver = push;

/** Who reads what visitors write to the API, and the source that their conversations are of. */
export const visitReceiver = visits;
export const visitedSource = source;

/** The connectors of a running hub. */
export interface Connectors {
  /** Who speaks to the source of a channel; null: nobody does. */
  of(channel: Pick<ChannelJson, 'source' | 'source_id'>): Connector | null;
  /** Every address at which platforms call. */
  readonly routes: readonly InboundRoute[];
  readonly all: readonly Connector[];
}

/**
 * @param listed in the place of the hub's own, for tests
 * @throws Error when two connectors claim one source or one address
 */
export function createConnectors(config: Config, listed = factories): Connectors {
  const connectors = listed.map((factory) => factory(config)).filter((connector) => connector !== null);
  const bySource = new Map<string, Connector>();
  const registered: Connector[] = [];
  for (const connector of connectors) {
    if (connector.sources === 'registered') registered.push(connector);
    else for (const source of connector.sources) claim(bySource, source, connector);
  }
  if (registered.length > 1) throw new Error(`${registered.map(({ name }) => name)} all claim registered sources`);
  const byAddress = new Map<string, InboundRoute>();
  for (const { routes } of connectors) {
    for (const route of routes) claim(byAddress, `${route.method} ${route.path}`, route);
  }
  return {
    of: ({ source, source_id }) => (source_id === undefined ? bySource.get(source) : registered[0]) ?? null,
    routes: [...byAddress.values()],
    all: connectors,
  };
}

/** The connectors as the configuration has them now. What one has begun that is made anew, or gone, it ends. */
export function liveConnectors(live: LiveConfig, log: Logger, listed = factories): Connectors {
  let current = createConnectors(live.config, listed);
  live.onChange(() => {
    try {
      current = createConnectors(live.config, listed);
    } catch (error) {
      log.error({ reason: String(error) }, 'connectors.failed');
    }
  });
  return {
    of: (channel) => current.of(channel),
    get routes() {
      return current.routes;
    },
    get all() {
      return current.all;
    },
  };
}

function claim<T>(taken: Map<string, T>, name: string, owner: T): void {
  if (taken.has(name)) throw new Error(`two connectors claim ${name}`);
  taken.set(name, owner);
}
