import type { Bus, Cancel, Clock, Ids, Logger } from '#actors/ports.ts';
import { Problems } from '#actors/problems.ts';
import { RawUpdates } from '#actors/store/raw-updates.ts';
import { type OpenStoreReader, openStoreReader } from '#actors/store-reader.ts';
import type { Config } from '#src/config/config.ts';
import { configuringKind, LiveConfig } from '#src/config/live.ts';
import type { ConnectorFactory } from '#src/connectors/connector.ts';
import { ConnectorHealth } from '#src/connectors/health.ts';
import { liveConnectors } from '#src/connectors/registry.ts';
import { sampleSender } from '#src/dispatch/webhooks/sample.ts';
import { ReadHealth } from './read-health.ts';
import { remembered, rememberedKinds } from './remembered.ts';
import { configuredFeatures } from '#src/features.ts';
import { grewOfAnyShard } from '#src/nats/subjects.ts';
import { RawErasing } from '#src/ingest/raw-erasing.ts';
import { mediaBeside } from '#src/media/folder.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { commandSenders } from '#src/runtime/command-sender.ts';
import { type LongReads, longReadsBy, readLong } from '#src/runtime/long-reads.ts';
import { Growth } from '#src/runtime/growth.ts';
import { Typing } from '#src/runtime/typing.ts';
import { loginsOf } from '#src/security/logins.ts';
import { sealKeysOf } from '#src/security/seal-key.ts';
import { sourceTokensOf } from '#src/security/source-token.ts';
import { VisitorLimits } from '#src/security/visitor-limits.ts';
import { VisitorTokens } from '#src/security/visitor-token.ts';
import type { HealthCheck, Services } from '#src/services.ts';

/** What the outward parts of a node stand on. */
export interface NodePorts {
  config: Config;
  /** The node's file, which the host has made by now. */
  file: string;
  bus: Bus;
  clock: Clock;
  ids: Ids;
  log: Logger;
  /** Calls on behalf of requests, apart from the deliveries: who waits is answered at once however many of them wait. */
  awaited: OutgoingClient;
  /** Does long reads elsewhere. Absent: here. */
  longReadsFor?: Services['longReadsFor'] | undefined;
  health?: readonly HealthCheck[];
  /** In the place of the connectors of the registry. */
  connectors?: readonly ConnectorFactory[] | undefined;
  /** Ports of this machine that no outgoing call reaches. */
  ownPorts?: ReadonlySet<number> | undefined;
  /** In the place of those that the configuration's secret makes. */
  tokens?: Services['tokens'] | undefined;
  visitorTokens?: Services['visitorTokens'] | undefined;
}

/** The services, with the readers that only dispatchers use; open until `close`. */
export interface NodeServices extends Services {
  store: OpenStoreReader;
  live: LiveConfig;
  close(): void;
}

/** "It grew" may get lost with the bus: readers look by themselves this often, in ms. */
const lookAgainEvery = 1_000;

/** Puts together what both outward halves of a node share: readers, command senders and signals. */
export function openServices(ports: NodePorts): NodeServices {
  const { bus, clock, ids, log, awaited: client } = ports;
  const { shards } = ports.config.data;
  const { store, forget } = remembered(openStoreReader(ports.file, shards, sealKeysOf(ports.config.security).sealKey));
  const live = new LiveConfig(ports.config, () => store.components.stored());
  const { config } = live;
  const growth = new Growth();
  growth.on('sources', forget);
  growth.on('erased', () => store.forgetErased());
  growth.on('callers', forget);
  const problems = new Problems(log);
  const reads = new ReadHealth({ clock, problems, look: () => readNewest(store) });
  const refresh = (): void => unlessUnread(reads, () => live.refresh());
  growth.on('components', refresh);
  const stopLooking = repeated(clock, lookAgainEvery, () => reads.look());
  const stopSignals = followSignals(growth, bus, clock);
  const logins = loginsOf(config, ports);
  const longReadsFor = ports.longReadsFor ?? (() => longReadsBy(async (name, asked) => readLong(store, name, asked)));
  const typing = new Typing(bus);
  const raw = new RawUpdates(ports.file);
  const rawErasing = new RawErasing({ store, raw });
  growth.on('erased', () => unlessUnread(reads, () => rawErasing.look()));
  const subscriptions = (now: number) => store.webhookDeliveries.subscriptions(now);
  return {
    ...{ config, live, clock, ids, log, store },
    components: () => live.components,
    features: configuredFeatures(config),
    longReadsFor: (caller) => shortcut(store, longReadsFor(caller)),
    feed: store.feed,
    connectors: liveConnectors(live, log, ports.connectors),
    connectorHealth: new ConnectorHealth(),
    callTools: { http: client, now: () => clock.now() },
    ...{ raw, rawErasing },
    media: mediaBeside(ports.file, ids, clock),
    health: ports.health ?? [],
    problems,
    unread: (error) => reads.failed(error),
    tokens: ports.tokens ?? sourceTokensOf(config),
    visitorTokens: ports.visitorTokens ?? new VisitorTokens(config, clock),
    visitorLimits: new VisitorLimits(config.visitors, clock),
    typing,
    identityProvider: logins,
    commandsFor: commandSenders({ bus, clock, ids, shards, onAnswered: following(forget, refresh) }),
    onGrew: (what, run) => growth.on(what, run),
    testWebhook: sampleSender({ client, clock, ids, feed: store.feed, subscriptions }),
    close() {
      typing.close();
      stopSignals();
      stopLooking();
      store.close();
      raw.close();
      void logins?.close();
    },
  };
}

/** The first page of all conversations is read at once; a walk that began long ago has to find what was said since. */
const shortcut = (store: OpenStoreReader, longReads: LongReads): LongReads => ({
  ...longReads,
  conversations: async (query, filter) =>
    filter === null && query.from === null
      ? store.conversations.page(query, null)
      : longReads.conversations(query, filter),
});

/** The newest event of each shard, with all that belongs to it. */
function readNewest({ feed }: OpenStoreReader): void {
  const end = feed.end();
  feed.read({ after: end.map((position) => Math.max(0, position - 1)), limit: end.length });
}

/** Reads, unless the store can not be read for now: it is read again soon. */
function unlessUnread(reads: ReadHealth, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (reads.failed(error) === null) throw error;
  }
}

/** Who changed a source, a channel, a key or a component here sees the change with the answer, before any signal. */
const following =
  (forget: () => void, refresh: () => void) =>
  (kind: string): void => {
    if (rememberedKinds.includes(kind)) forget();
    if (kind === configuringKind) refresh();
  };

/** What comes over the bus, and a look at everything now and then. */
export function followSignals(growth: Growth, bus: Bus, clock: Clock): Cancel {
  const stopLooking = repeated(clock, lookAgainEvery, () => growth.signalled());
  const unsubscribe = bus.subscribe(grewOfAnyShard, ({ data }) => growth.signalled(data));
  return () => {
    stopLooking();
    unsubscribe();
  };
}

/** Runs something again and again. */
function repeated(clock: Clock, every: number, run: () => void): Cancel {
  const again = (): void => {
    cancel = clock.schedule(every, again);
    run();
  };
  let cancel = clock.schedule(every, again);
  return () => cancel();
}
