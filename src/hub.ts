import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bus, Clock, Ids, Logger } from '#actors/ports.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import { lockInstance } from '#actors/store/instance-lock.ts';
import type { Config, Secret } from '#src/config/config.ts';
import { dataFileOf } from '#src/config/data-file.ts';
import { Metrics } from '#src/metrics.ts';
import { connectBus } from '#src/nats/connection.ts';
import { provideNatsServer } from '#src/nats/provision.ts';
import { type NatsServer, startNatsServer } from '#src/nats/server.ts';
import { createFront, type HubAddresses } from '#src/node/front.ts';
import { type Dispatch, startDispatch } from '#src/node/owner-dispatch.ts';
import { retentionPolicy } from '#src/node/retention.ts';
import { type NodeServices, openServices } from '#src/node/services.ts';
import { createDownloads, type Downloads } from '#src/outgoing/downloads.ts';
import { createOutgoingClient, type OutgoingClient } from '#src/outgoing/client.ts';
import { HostThread } from '#src/runtime/host-thread.ts';
import { ReaderThread } from '#src/runtime/reader-thread.ts';
import { systemClock, SystemIds } from '#src/runtime/system.ts';
import { sealKeysOf } from '#src/security/seal-key.ts';
import type { HealthCheck } from '#src/services.ts';

/**
 * What tests put in the place of the real parts, everywhere in the hub. A worker can not be given any of them but the
 * client: with another one the host runs in the caller's thread.
 */
export interface HubOverrides {
  clock?: Clock;
  ids?: Ids;
  /** Also for the host's own lines. */
  log?: Logger;
  /** Then no nats-server is started. */
  bus?: Bus;
  shardLog?: ShardLog;
  /** For all outgoing calls. */
  client?: OutgoingClient;
}

/** How the parts of the hub reach NATS. */
interface NatsAddress {
  url: string;
  user?: string;
  password?: Secret;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const silent: Logger = { info() {}, warn() {}, error() {} };
/** Of addresses that name none. */
const defaultPorts: Record<string, number> = { 'http:': 80, 'nats:': 4_222, 'tls:': 4_222 };
/** Calls of one webhook subscription may all be to one origin. */
const webhookConnections = 64;

/**
 * The one place where the parts of a node are put together.
 * @param log the process's own: the host's thread writes its lines to the same place
 */
export async function createHub(config: Config, log: Logger = silent, overrides: HubOverrides = {}): Promise<Hub> {
  return new Hub(config, overrides.log ?? log, overrides);
}

/** Parts that a running hub has, in the order in which they were started. */
type Closing = { name: string; close(): Promise<void> | void };

/** What the hub needs of its host, wherever it runs. */
type RunningHost = Pick<HostThread, 'problem' | 'stop'>;

export class Hub implements AsyncDisposable {
  readonly #config: Config;
  readonly #overrides: HubOverrides;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Stopped in the opposite order. */
  readonly #parts: Closing[] = [];
  /** No outgoing call reaches them, whatever networks are allowed. */
  readonly #ownPorts = new Set<number>();
  #nats: NatsServer | null = null;

  constructor(config: Config, log: Logger, overrides: HubOverrides) {
    this.#config = config;
    this.#overrides = overrides;
    this.#clock = overrides.clock ?? systemClock;
    this.#log = log;
  }

  /** Process id of the embedded nats-server; null with an external one. */
  get natsPid(): number | null {
    return this.#nats?.pid ?? null;
  }

  /** @throws Error with a sentence on what is missing; what was started before is left to `stop` */
  async start(): Promise<HubAddresses> {
    const folder = resolve(this.#config.data.dir);
    this.#part('lock', lockInstance(folder));
    const file = dataFileOf(this.#config);
    const nats = this.#overrides.bus ? null : await this.#startNats(folder);
    const { bus, connected } = await this.#connect(nats);
    const host = await this.#startHost(file, bus, nats);
    this.#part('host', () => host.stop());
    const longReader = this.#longReader(file);
    const services = this.#services(file, bus, longReader, [
      {
        name: 'nats',
        problem: () => this.#nats?.problem() ?? (connected() ? null : 'the connection to NATS is lost'),
      },
      { name: 'host', problem: () => host.problem() },
    ]);
    const metrics = new Metrics();
    const beginDispatch = this.#dispatch(services, metrics);
    const front = createFront(services, metrics);
    this.#part('front', () => front.close());
    const addresses = await front.listen();
    this.#own(addresses.url, addresses.metricsUrl);
    // Behind the start: what the hub was stopped in the middle of can be much, and whoever asks is answered meanwhile.
    const begin = (): void => {
      beginDispatch();
      longReader.start();
    };
    this.#part('beginning', this.#clock.soon(begin));
    return addresses;
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

  #own(...urls: string[]): void {
    for (const { port, protocol } of urls.map((url) => new URL(url))) {
      this.#ownPorts.add(port === '' ? defaultPorts[protocol]! : Number(port));
    }
  }

  #part(name: string, close: () => Promise<void> | void): void {
    this.#parts.push({ name, close });
  }

  async #startNats(folder: string): Promise<NatsAddress> {
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

  /** @param nats null: the override is used */
  async #connect(nats: NatsAddress | null): Promise<{ bus: Bus; connected(): boolean }> {
    if (nats === null) return { bus: this.#overrides.bus!, connected: () => true };
    this.#own(...nats.url.split(',').map((url) => url.trim()));
    const bus = await connectBus({ ...nats, name: 'parley-hub', log: this.#log });
    this.#part('bus', () => bus.close());
    return { bus, connected: () => bus.connected() };
  }

  async #startHost(file: string, bus: Bus, nats: NatsAddress | null): Promise<RunningHost> {
    const { data } = this.#config;
    const settings = {
      file,
      durability: data.durability,
      shards: data.shards,
      retention: retentionPolicy(this.#config),
      ...sealKeysOf(this.#config.security),
    };
    const { clock, ids, log, shardLog } = this.#overrides;
    if (nats === null || clock || ids || log || shardLog) {
      const { runHostHere } = await import('#src/runtime/host-here.ts');
      return runHostHere(settings, { bus, clock: this.#clock, logger: this.#log, log: shardLog });
    }
    const { url, user, password } = nats;
    const credentials = { ...(user !== undefined && { user }), ...(password && { password: password.reveal() }) };
    const host = new HostThread({ ...settings, nats: { url, ...credentials } }, this.#log);
    await host.start();
    return host;
  }

  #longReader(file: string): ReaderThread {
    const { sealKey } = sealKeysOf(this.#config.security);
    const reader = new ReaderThread({ file, shards: this.#config.data.shards, sealKey }, this.#log);
    this.#part('long reader', () => reader.stop());
    return reader;
  }

  #services(file: string, bus: Bus, longReader: ReaderThread, health: HealthCheck[]): NodeServices {
    const services = openServices({
      config: this.#config,
      file,
      bus,
      clock: this.#clock,
      ids: this.#overrides.ids ?? new SystemIds(),
      log: this.#log,
      awaited: this.#client('awaited calls', { log: this.#log }),
      longReadsFor: (caller) => longReader.readsFor(caller),
      health,
      ownPorts: this.#ownPorts,
    });
    this.#part('services', () => services.close());
    services.onGrew('erased', () => longReader.forgetErased());
    return services;
  }

  /** @returns what begins it; it ends behind the front, whose requests may wait for what it does */
  #dispatch(services: NodeServices, metrics: Metrics): () => void {
    const sources = this.#client('calls to sources', { log: this.#log });
    // Webhooks log each attempt themselves. Whoever has not answered one when dispatching ends is not waited for.
    const downloads = this.#downloads();
    const webhooks = this.#client('calls to webhooks', { connectionsPerOrigin: webhookConnections }, 0);
    let dispatch: Dispatch | null = null;
    this.#part('dispatch', () => dispatch?.stop());
    return () => {
      dispatch = startDispatch(services, { sources, downloads, webhooks, metrics });
    };
  }

  #downloads(): Downloads {
    const downloads = createDownloads({ allowNetworks: this.#config.outgoing.allowNetworks, ownPorts: this.#ownPorts });
    this.#part('downloads', () => downloads.close());
    return downloads;
  }

  /** A client of its own for each purpose: none waits for a connection behind the calls of another. */
  #client(name: string, options: { log?: Logger; connectionsPerOrigin?: number }, patienceMs?: number): OutgoingClient {
    if (this.#overrides.client) return this.#overrides.client;
    const { allowNetworks } = this.#config.outgoing;
    const client = createOutgoingClient({ allowNetworks, ownPorts: this.#ownPorts, ...options });
    this.#part(name, () => client.close(patienceMs));
    return client;
  }
}
