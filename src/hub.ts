import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock, Ids, Logger } from '#actors/ports.ts';
import { lockInstance } from '#actors/store/instance-lock.ts';
import { type OpenStoreReader, openStoreReader } from '#actors/store-reader.ts';
import type { Secret, Config } from '#src/config/config.ts';
import { createOutgoingClient, type OutgoingClient } from '#src/outgoing/client.ts';
import { startDispatch } from '#src/dispatch/start.ts';
import { sampleSender } from '#src/dispatch/webhooks/sample.ts';
import { createAuth } from '#src/http/auth.ts';
import { Metrics } from '#src/metrics.ts';
import { createHttpServer } from '#src/http/server.ts';
import { connectBus, type NatsBus } from '#src/nats/connection.ts';
import { provideNatsServer } from '#src/nats/provision.ts';
import { type NatsServer, startNatsServer } from '#src/nats/server.ts';
import { grewOfAnyShard } from '#src/nats/subjects.ts';
import { createRealtime } from '#src/realtime/server.ts';
import { commandSenders } from '#src/runtime/command-sender.ts';
import { Growth } from '#src/runtime/growth.ts';
import { HostThread } from '#src/runtime/host-thread.ts';
import { ReaderThread } from '#src/runtime/reader-thread.ts';
import { systemClock, SystemIds } from '#src/runtime/system.ts';
import type { HealthCheck, Services } from '#src/services.ts';

/** What tests put in the place of the real parts. */
export interface HubOverrides {
  clock?: Clock;
  ids?: Ids;
  log?: Logger;
  client?: OutgoingClient;
}

/** Where a running hub answers. */
export interface HubAddresses {
  url: string;
  metricsUrl: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const silent: Logger = { info() {}, warn() {}, error() {} };
/** "It grew" may get lost with the bus: readers look by themselves this often, in ms. */
const lookAgainEvery = 1_000;

/** The one place where the parts of the hub are put together. */
export async function createHub(config: Config, overrides: HubOverrides = {}): Promise<Hub> {
  return new Hub(config, overrides);
}

/** Parts that a running hub has, in the order in which they were started. */
type Closing = { name: string; close(): Promise<void> | void };

export class Hub implements AsyncDisposable {
  readonly #config: Config;
  readonly #overrides: HubOverrides;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Stopped in the opposite order. */
  readonly #parts: Closing[] = [];
  readonly #growth = new Growth();
  #nats: NatsServer | null = null;

  constructor(config: Config, overrides: HubOverrides) {
    this.#config = config;
    this.#overrides = overrides;
    this.#clock = overrides.clock ?? systemClock;
    this.#log = overrides.log ?? silent;
  }

  /** Process id of the embedded nats-server; null with an external one. */
  get natsPid(): number | null {
    return this.#nats?.pid ?? null;
  }

  /** @throws Error with a sentence on what is missing; what was started before is left to `stop` */
  async start(): Promise<HubAddresses> {
    const { data } = this.#config;
    const folder = resolve(data.dir);
    this.#part('lock', lockInstance(folder));
    const file = join(folder, 'parley.db');
    const nats = await this.#startNats(folder);
    const bus = await connectBus({ ...nats, name: 'parley-hub', log: this.#log });
    this.#part('bus', () => bus.close());
    const host = await this.#startHost(file, nats);
    const store = openStoreReader(file, data.shards);
    this.#part('reader', () => store.close());
    const longReader = new ReaderThread({ file, shards: data.shards }, this.#log);
    this.#part('long reader', () => longReader.stop());

    const services = this.#services(store, longReader, bus, [
      { name: 'nats', problem: () => (bus.connected() ? null : 'the connection to NATS is lost') },
      { name: 'host', problem: () => host.problem() },
    ]);
    this.#startSignals(bus);
    const metrics = new Metrics();
    const dispatch = startDispatch(services, store, metrics, this.#overrides.client);
    this.#part('dispatch', () => dispatch.stop());
    return this.#startHttp(services, metrics);
  }

  /** Takes no more requests, lets the running ones end, and closes every part. */
  async stop(): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) {
      try {
        await part.close();
      } catch (error) {
        this.#log.warn({ part: part.name, reason: String(error) }, 'hub.stop_problem');
      }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #part(name: string, close: () => Promise<void> | void): void {
    this.#parts.push({ name, close });
  }

  async #startNats(folder: string): Promise<{ url: string; user?: string; password?: Secret }> {
    if (this.#config.nats.url !== '') return { url: this.#config.nats.url };
    const binary = await provideNatsServer({
      cacheDir: join(root, '.cache', 'nats-server'),
      log: (line) => this.#log.info({ line }, 'nats.provision'),
    });
    const server = await startNatsServer({
      binary,
      confFile: join(root, 'nats.conf'),
      stateDir: join(folder, 'nats'),
      log: this.#log,
    });
    this.#nats = server;
    this.#part('nats', () => server.stop());
    return { url: server.url, user: server.user, password: server.password };
  }

  async #startHost(file: string, nats: { url: string; user?: string; password?: Secret }): Promise<HostThread> {
    const { data } = this.#config;
    const host = new HostThread(
      {
        file,
        durability: data.durability,
        shards: data.shards,
        retention: { feed: this.#config.retention.feed, deliveries: this.#config.retention.deliveries },
        nats: {
          url: nats.url,
          ...(nats.user !== undefined && { user: nats.user }),
          ...(nats.password !== undefined && { password: nats.password.reveal() }),
        },
      },
      this.#log,
    );
    await host.start();
    this.#part('host', () => host.stop());
    return host;
  }

  #services(store: OpenStoreReader, longReader: ReaderThread, bus: NatsBus, health: HealthCheck[]): Services {
    const ids = this.#overrides.ids ?? new SystemIds();
    const clock = this.#clock;
    // Of its own: a test answers at once however many deliveries wait for a connection.
    const client = createOutgoingClient({ allowNetworks: this.#config.outgoing.allowNetworks, log: this.#log });
    this.#part('webhook tests', () => client.close());
    const subscriptions = (now: number) => store.webhookDeliveries.subscriptions(now);
    return {
      config: this.#config,
      clock,
      ids,
      log: this.#log,
      store,
      longReads: longReader.reads,
      feed: store.feed,
      health,
      commandsFor: commandSenders({ bus, clock: this.#clock, ids, shards: this.#config.data.shards }),
      onGrew: (what, run) => this.#growth.on(what, run),
      testWebhook: sampleSender({ client, clock, ids, feed: store.feed, subscriptions }),
    };
  }

  #startSignals(bus: NatsBus): void {
    const cancel = bus.subscribe(grewOfAnyShard, ({ data }) => this.#growth.signalled(data));
    const timer = setInterval(() => this.#growth.signalled(), lookAgainEvery).unref();
    this.#part('signals', () => {
      clearInterval(timer);
      cancel();
    });
  }

  async #startHttp(services: Services, metrics: Metrics): Promise<HubAddresses> {
    const auth = createAuth(services);
    const realtime = createRealtime(services, auth);
    metrics.gauge('parley_websocket_sessions', 'Open WebSocket sessions.', () => realtime.sessions());
    const server = createHttpServer(services, { auth, metrics, upgrades: realtime });
    this.#part('http', () => server.close());
    this.#part('realtime', () => realtime.close());
    return server.listen();
  }
}
