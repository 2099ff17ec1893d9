import type { OpenStoreReader } from '#actors/store-reader.ts';
import type { Metrics } from '#src/metrics.ts';
import { sourceTokensOf } from '#src/security/source-token.ts';
import type { Services } from '#src/services.ts';
import { createCircuitBreaker } from '../outgoing/circuit-breaker.ts';
import { createOutgoingClient, type OutgoingClient } from '../outgoing/client.ts';
import { ParkedMetadataDelivery } from './parked-metadata.ts';
import { SourceDelivery } from './source-delivery.ts';
import { WebhookDispatcher } from './webhooks/webhook-dispatcher.ts';

/** Calls of one webhook subscription may all be to one origin. */
const webhookConnections = 64;

/** What carries effects out of the hub. */
export interface Dispatch {
  /** Begins nothing more; resolves when what runs has ended and the connections are closed. */
  stop(): Promise<void>;
}

/**
 * Starts everything that carries effects out of the hub.
 * @param client in the place of the real ones, for tests
 */
export function startDispatch(
  services: Services,
  store: OpenStoreReader,
  metrics: Metrics,
  client?: OutgoingClient,
): Dispatch {
  const { allowNetworks } = services.config.outgoing;
  const toSources = client ?? createOutgoingClient({ allowNetworks, log: services.log });
  const sources = sourceDelivery(services, store, metrics, toSources);
  const { log, commandsFor } = services;
  const parked = new ParkedMetadataDelivery({ parked: store.parked, store, log, commandsFor });
  // Webhooks log each attempt themselves.
  const toWebhooks = client ?? createOutgoingClient({ allowNetworks, connectionsPerOrigin: webhookConnections });
  const webhooks = webhookDispatcher(services, store, metrics, toWebhooks);
  const wakeParked = (): void => parked.wake();
  const cancels = [
    services.onGrew('outbox', () => sources.wake()),
    // Its target appears with an event; it itself is an effect to do.
    services.onGrew('feed', wakeParked),
    services.onGrew('outbox', wakeParked),
    services.onGrew('feed', () => webhooks?.feedGrew()),
    services.onGrew('webhooks', () => webhooks?.wake()),
  ];
  sources.wake();
  parked.wake();
  webhooks?.wake();
  return {
    async stop() {
      for (const cancel of cancels) cancel();
      await Promise.all([sources.stop(), parked.stop(), webhooks?.stop()]);
      // Whoever has not answered a webhook by now has had its time.
      await Promise.all([toSources.close(), toWebhooks.close(0)]);
    },
  };
}

function sourceDelivery(
  services: Services,
  store: OpenStoreReader,
  metrics: Metrics,
  client: OutgoingClient,
): SourceDelivery {
  const { config, clock, ids, log, commandsFor } = services;
  const delivery = new SourceDelivery({
    outbox: store.outbox,
    deliveries: store.deliveries,
    sources: store.sources,
    shards: config.data.shards,
    clock,
    ids,
    log,
    client,
    breaker: createCircuitBreaker(clock),
    commandsFor,
    tokenOf: (sourceId, issuedAt) => sourceTokensOf(config).make({ sourceId, issuedAt }),
    onAttempt: (outcome) => metrics.attempt(outcome),
  });
  metrics.gauge('parley_outbox_backlog', 'Sends that wait for their source.', () => delivery.backlog);
  return delivery;
}

/** Null when the feature is off: subscriptions stay as they are. */
function webhookDispatcher(
  { config, clock, ids, log, commandsFor }: Services,
  store: OpenStoreReader,
  metrics: Metrics,
  client: OutgoingClient,
): WebhookDispatcher | null {
  if (!config.integration.webhook.enabled) return null;
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
  return new WebhookDispatcher({ reader, clock, ids, log, client, commandsFor, onAttempt });
}
