import { componentEffect } from '#actors/component/effects.ts';
import { mediaFetch, profileFetch, readMark } from '#actors/conversation/fetches.ts';
import { importEffect } from '#actors/contact-import/contract.ts';
import { releaseEffect } from '#actors/media/contract.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { tellEffect } from '#actors/runtime/runtime-commands.ts';
import { followComponent } from '#src/dispatch/component-following.ts';
import { ConnectorChecks } from '#src/dispatch/connector-checks.ts';
import { carryOutImport } from '#src/dispatch/contact-import.ts';
import { removeReleased } from '#src/dispatch/media-removal.ts';
import { MissingContacts } from '#src/dispatch/missing-contacts.ts';
import { fetchMedia } from '#src/dispatch/media-fetch.ts';
import { fetchProfile, markRead } from '#src/dispatch/fetches.ts';
import type { EffectRow } from '#src/dispatch/lanes.ts';
import { everyShard, type OwnedShards } from '#src/dispatch/owned-shards.ts';
import { SourceCalls } from '#src/dispatch/source-calls.ts';
import { relay } from '#src/dispatch/relay.ts';
import { type Performer, SourceDelivery } from '#src/dispatch/source-delivery.ts';
import { SwitchedDispatcher } from '#src/dispatch/webhooks/switched-dispatcher.ts';
import { WebhookDispatcher } from '#src/dispatch/webhooks/webhook-dispatcher.ts';
import type { Metrics } from '#src/metrics.ts';
import { createCircuitBreaker } from '#src/outgoing/circuit-breaker.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { type Downloads, noDownloads } from '#src/outgoing/downloads.ts';
import type { NodeServices } from './services.ts';

/** What carries effects out of a node. */
export interface Dispatch {
  /** Begins nothing more; resolves when what runs has ended. The calls of webhooks that take longer are given up. */
  stop(): Promise<void>;
}

export interface DispatchPorts {
  /** Calls action endpoints. */
  sources: OutgoingClient;
  /** Loads files that messages name; absent: none is loaded. */
  downloads?: Downloads;
  /** Calls the receivers of webhooks. */
  webhooks: OutgoingClient;
  metrics: Metrics;
  /** Default: all shards. */
  owned?: OwnedShards | undefined;
}

/** The dispatch side of an owner: everything that carries effects of its shards out of the hub, and follows what it owns. */
export function startDispatch(services: NodeServices, ports: DispatchPorts): Dispatch {
  const owned = ports.owned ?? everyShard;
  const { live } = services;
  const webhooks = switchedWebhooks(services, ports, owned);
  const follow = (): Promise<void> => {
    live.refresh();
    return webhooks.follow();
  };
  const sources = sourceDelivery(services, ports, owned, follow);
  const { shards } = services.config.data;
  const contacts = new MissingContacts({ ...services, reader: services.store.missingContacts, shards, owned });
  const checks = connectorChecks(services, ports);
  const wake = (): void => {
    sources.wake();
    contacts.wake();
    webhooks.wake();
  };
  const cancels = [
    owned.onChange(wake),
    live.onChange(() => void webhooks.follow()),
    live.onChange(() => checks.start()),
    live.onChange(() => contacts.wake()),
    services.onGrew('outbox', () => sources.wake()),
    services.onGrew('feed', () => webhooks.feedGrew()),
    services.onGrew('webhooks', () => webhooks.wake()),
  ];
  wake();
  checks.start();
  return {
    async stop() {
      for (const cancel of cancels) cancel();
      checks.stop();
      await Promise.all([sources.stop(), contacts.stop(), webhooks.stop()]);
    },
  };
}

function sourceDelivery(
  services: NodeServices,
  ports: DispatchPorts,
  owned: OwnedShards,
  follow: () => Promise<void>,
): SourceDelivery {
  const { metrics, sources: client } = ports;
  const { config, clock, ids, log, store, connectors, connectorHealth: health, tokens, commandsFor, unread } = services;
  const { sources, channels } = store;
  const { giveUpAfter } = config.delivery;
  const tokenOf = (sourceId: string, issuedAt: number) => tokens.make({ sourceId, issuedAt });
  const calls = new SourceCalls({ sources, channels, connectors, health, clock, ids, client, giveUpAfter, tokenOf });
  const delivery = new SourceDelivery({
    outbox: store.outbox,
    deliveries: store.deliveries,
    shards: config.data.shards,
    ...{ owned, clock, ids, log, commandsFor, unread, calls },
    others: {
      ...otherEffects(services, async () => {
        await follow();
        await calls.replacedEnded();
      }),
      ...fetchEffects(services, ports),
    },
    breaker: createCircuitBreaker(clock),
    onAttempt: (outcome) => metrics.attempt(outcome),
  });
  metrics.gauge('parley_outbox_backlog', 'Sends that wait for their source.', () => delivery.backlog);
  return delivery;
}

/** Effects that call nobody outside. @param follow resolves when everything that runs is as components say now */
function otherEffects(services: NodeServices, follow: () => Promise<void>): Record<string, Performer> {
  const { log, media: folder, store, longReadsFor } = services;
  const { showsFile: isShown } = longReadsFor('hub');
  return {
    [tellEffect]: { perform: (sending, effect) => relay({ ...sending, log }, effect) },
    [componentEffect]: { perform: (sending, effect) => followComponent({ ...sending, follow }, effect) },
    [importEffect]: {
      perform: (sending, effect) => carryOutImport({ ...sending, log, reader: store.contactImports }, effect),
    },
    [releaseEffect]: {
      perform: (sending, effect) => removeReleased({ ...sending, log, reader: store.media, folder, isShown }, effect),
    },
  };
}

/** Effects that ask platforms for what belongs to messages. Each account has a bound of its own. */
function fetchEffects(
  services: NodeServices,
  { sources: http, downloads = noDownloads }: DispatchPorts,
): Record<string, Performer> {
  const { clock, config, connectors, log, media: folder, store } = services;
  const { fetches: reader, channels } = store;
  const { giveUpAfter } = config.delivery;
  const parts = { ...{ reader, channels, connectors, log, giveUpAfter }, tools: { http, now: () => clock.now() } };
  const files = { ...parts, ...{ folder, downloads, bounds: config.media, address: config.server.publicUrl } };
  const ofConversation = ({ kind, subject }: EffectRow): string => `${kind} ${reader.accountOf(subject, null)}`;
  return {
    [profileFetch]: {
      perform: (sending, effect) => fetchProfile({ ...parts, ...sending }, effect),
      groupOf: ofConversation,
    },
    [readMark]: { perform: (sending, effect) => markRead({ ...parts, ...sending }, effect), groupOf: ofConversation },
    [mediaFetch]: {
      perform: (sending, effect) => fetchMedia({ ...files, ...sending }, effect),
      groupOf: ({ kind, subject }) => `${kind} ${reader.accountOf(null, subject)}`,
    },
  };
}

/** Asks the connectors by the client that calls sources. */
const connectorChecks = (
  { connectors, connectorHealth: health, clock, log }: NodeServices,
  { sources: http }: DispatchPorts,
): ConnectorChecks => new ConnectorChecks({ connectors, health, http, clock, log });

function switchedWebhooks(
  { config, features, clock, ids, log, store, commandsFor, unread }: NodeServices,
  { metrics, webhooks: client }: DispatchPorts,
  owned: OwnedShards,
): SwitchedDispatcher {
  const { webhooks, webhookDeliveries: reader } = store;
  metrics.gauge('parley_webhook_queue_depth', 'Events that webhook subscriptions have not got yet.', () =>
    webhooks.queueDepth().reduce((sum, { scheduled, behind }) => sum + scheduled + behind, 0),
  );
  metrics.gauge('parley_webhook_oldest_undelivered_seconds', 'Age of the oldest such event, 0 without one.', () => {
    const times = webhooks.queueDepth().map(({ subscription }) => webhooks.oldestUndelivered(subscription));
    const oldest = Math.min(clock.now(), ...times.filter((time) => time !== null));
    return (clock.now() - oldest) / 1_000;
  });
  const onAttempt = (outcome: string): void => metrics.webhookAttempt(outcome);
  const serves = (subscription: string): boolean => owned.has(shardOf(subscription, config.data.shards));
  return new SwitchedDispatcher(
    () => features.isOn('webhook'),
    () => new WebhookDispatcher({ reader, clock, ids, log, client, commandsFor, unread, onAttempt, serves }),
  );
}
