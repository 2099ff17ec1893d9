import { join } from 'node:path';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { kindTables } from '#actors/kinds.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import type { Logger } from '#actors/ports.ts';
import { type Connection, openForReading } from '#actors/store/database.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { type OpenStoreReader, openStoreReader } from '#actors/store-reader.ts';
import { Metrics } from '#src/metrics.ts';
import type { OwnedShards } from '#src/dispatch/owned-shards.ts';
import { createFront, type Front } from '#src/node/front.ts';
import { startDispatch } from '#src/node/owner-dispatch.ts';
import { startHost } from '#src/node/owner-host.ts';
import { openServices } from '#src/node/services.ts';
import { sealKeys, testConfig } from '../_support/config.ts';
import type { Calls } from './calls.ts';
import type { ClusterHost } from './cluster.ts';
import { faultyStore, type Sabotage, type StepWatch } from './faulty-store.ts';
import { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import { emptyStore } from './scratch.ts';
import { sourceTokens } from './source-tokens.ts';
import type { Trace } from './trace.ts';
import type { UnreliableBus } from './unreliable-bus.ts';
import type { VirtualTime } from './virtual-time.ts';
import { visitorTokens } from './visitor-tokens.ts';

/** The main process of a node: what clients talk to, and its dispatchers. */
export interface HubProcess {
  process: SimulatedProcess;
  front: Front;
}

/** The two processes of a node. When the hub dies its host dies too. */
export type ProcessName = 'host' | 'hub';

/** What a node is in the midst of. */
export interface Surroundings {
  time: VirtualTime;
  random: Random;
  trace: Trace;
  bus: UnreliableBus;
  calls: { sources: Calls; webhooks: Calls };
  shards: number;
  /** Those that a node owns from its start on; none: a cluster decides. */
  owned: readonly number[];
  retention: { journal: number; deliveries: number } | null;
  sabotage: Sabotage | null;
  /** What all clocks show, epoch ms. */
  now(): number;
  logFor(process: SimulatedProcess, watch: StepWatch): ShardLog;
  watch: Omit<StepWatch, 'committed'>;
  /** Something was committed to the file of a node. */
  committed(node: SimulatedNode): void;
  hubDied(process: SimulatedProcess): void;
  /** What a healthy hub never says or does. */
  problem(text: string): void;
}

/** A whole node on a file of its own: processes that die and come up again. */
export class SimulatedNode {
  readonly name: string;
  readonly file: string;
  hub: HubProcess | null = null;
  /** The owner of shards; in production a thread of its own. */
  host: ClusterHost | null = null;
  readonly #folder: string;
  readonly #around: Surroundings;
  readonly #closing: (() => void)[] = [];
  #db: Connection | null = null;
  #store: OpenStoreReader | null = null;

  /** @param name empty for the only one */
  constructor(name: string, folder: string, around: Surroundings) {
    this.name = name;
    this.#around = around;
    this.#folder = join(folder, name === '' ? 'only' : name);
    mkdirSync(this.#folder);
    this.file = join(this.#folder, 'parley.db');
    writeFileSync(this.file, emptyStore());
  }

  /** A view of the file from outside. */
  get db(): Connection {
    this.#db ??= openForReading(this.file);
    return this.#db;
  }

  /** The same in the words of the hub. */
  get store(): OpenStoreReader {
    this.#store ??= openStoreReader(this.file, this.#around.shards, sealKeys.sealKey);
    return this.#store;
  }

  /** Both processes come up. */
  start(): void {
    this.#startHost();
    this.#startHub();
  }

  /** Where its feed ends. */
  get end(): FeedPosition {
    return this.store.feed.end();
  }

  get up(): boolean {
    return this.hub !== null && this.host !== null;
  }

  /** The name of one of its processes, among those of all nodes. */
  processName(which: ProcessName): string {
    return this.name === '' ? which : `${which} ${this.name}`;
  }

  kill(which: ProcessName): void {
    this[which]?.process.kill();
  }

  close(): void {
    for (const close of this.#closing.splice(0)) close();
    this.#store?.close();
    this.#db?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #process(which: ProcessName): SimulatedProcess {
    const { time, random, now } = this.#around;
    return new SimulatedProcess({ name: this.processName(which), node: this.name }, time, random, now);
  }

  #startHost(): void {
    const { time, random, bus, shards, owned, sabotage, retention, watch } = this.#around;
    const process = this.#process('host');
    const store = openHostStore({
      ...{ file: this.file, durability: 'normal', shards, tables: kindTables },
      instance: '00000000-0000-4000-8000-000000000000',
      ...sealKeys,
    });
    this.#reapAtDeath(process, () => store.close());
    process.onDeath(() => {
      this.host = null;
      time.after(1 + random.int(2_000), () => this.#startHost());
    });
    const watching: StepWatch = { ...watch, committed: () => this.#around.committed(this) };
    const ports = {
      store: faultyStore(store, process, watching, sabotage),
      log: this.#around.logFor(process, watching),
      bus: bus.connect(process),
    };
    const logger = this.#logger(process, ['store.failed']);
    const host = startHost({
      ...{ ...ports, shards, owned, logger },
      clock: process.clock,
      name: `${process.name} ${process.since}`,
      ...(retention && { retention }),
    });
    if (process.alive) this.host = { ...ports, process, host };
  }

  #startHub(): void {
    const { shards, bus, random, calls, owned } = this.#around;
    const process = this.#process('hub');
    const sources = calls.sources.clientFor(process);
    const webhooks = calls.webhooks.clientFor(process);
    const services = openServices({
      config: { ...testConfig(), data: { dir: this.#folder, durability: 'normal', shards } },
      file: this.file,
      bus: bus.connect(process),
      clock: process.clock,
      ids: random,
      log: this.#logger(process, []),
      awaited: webhooks,
      tokens: sourceTokens,
      visitorTokens: visitorTokens(() => process.clock.now()),
    });
    this.#reapAtDeath(process, () => services.close());
    const metrics = new Metrics();
    this.hub = { process, front: createFront(services, metrics) };
    process.onDeath(() => this.#hubDied(process));
    startDispatch(services, { sources, webhooks, metrics, ...(owned.length === 0 && { owned: this.#owned }) });
  }

  /** The services look again every second, so nobody need say that it has changed. */
  readonly #owned: OwnedShards = {
    has: (shard) => this.host?.host.owned.includes(shard) ?? false,
    onChange: () => () => {},
  };

  #hubDied(process: SimulatedProcess): void {
    const { time, random } = this.#around;
    this.hub = null;
    this.kill('host');
    this.#around.hubDied(process);
    time.after(1 + random.int(3_000), () => this.#startHub());
  }

  /** What a dead process had open is closed a moment later: not under the feet of the code that was cut off. */
  #reapAtDeath(process: SimulatedProcess, close: () => void): void {
    this.#closing.push(close);
    process.onDeath(() => {
      this.#around.trace.note('died', process.name);
      this.#around.time.after(0, () => {
        this.#closing.splice(this.#closing.indexOf(close), 1);
        close();
      });
    });
  }

  #logger(process: SimulatedProcess, expected: string[]): Logger {
    const { trace } = this.#around;
    return {
      info() {},
      warn: ({ reason = '' }, event) => trace.note('warn', `${process.name} ${event} ${String(reason)}`),
      error: (fields, event) => {
        trace.note('error', `${process.name} ${event}`);
        if (!process.alive || expected.includes(event)) return;
        this.#around.problem(`${process.name} logged ${event} ${JSON.stringify(fields)}`);
      },
    };
  }
}
