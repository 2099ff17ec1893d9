import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '#actors/store/database.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import { CallWatch } from './call-watch.ts';
import { Calls } from './calls.ts';
import { Cluster } from './cluster.ts';
import { Cut, type Sabotage, type StepWatch } from './faulty-store.ts';
import { holds } from './holds.ts';
import { type HubProcess, type ProcessName, SimulatedNode, type Surroundings } from './node.ts';
import type { SimulatedProcess } from './process.ts';
import { Partition } from './partition.ts';
import { Random } from './random.ts';
import { SimulatedReceivers } from './receivers.ts';
import { scratch } from './scratch.ts';
import { ShardLogs, unwell } from './shard-logs.ts';
import { SimulatedSources } from './sources.ts';
import { Tenures } from './tenures.ts';
import { Trace } from './trace.ts';
import { noBusFaults, UnreliableBus } from './unreliable-bus.ts';
import { VirtualTime } from './virtual-time.ts';
import { type Seen, Witness } from './witness.ts';

export interface WorldOptions {
  seed: number;
  shards: number;
  /** 1 unless given: with 2, they share a replicated log. */
  nodes?: 1 | 2 | undefined;
  sabotage?: Sabotage | undefined;
  /** Keeps all lines of the trace. */
  keepTrace?: boolean | undefined;
  /** Told each line of the trace as it comes. */
  onLine?: ((line: string) => void) | undefined;
  /** Where the run's files are, instead of a disk in memory. */
  folder?: string | undefined;
}

const hour = 3_600_000;
/** A hub of one node, or of two, with everything around it, under the control of one seed. */
export class World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly bus: UnreliableBus;
  readonly sources: SimulatedSources;
  readonly receivers: SimulatedReceivers;
  readonly witness: Witness;
  readonly logs: ShardLogs;
  readonly partition: Partition;
  readonly callWatch: CallWatch;
  readonly shards: number;
  readonly nodes: readonly SimulatedNode[];
  /** Null with one node. */
  readonly cluster: Cluster | null;
  /** What parts said that a healthy hub never says, and what the watchers saw. */
  readonly problems: string[] = [];
  /** The bus of this run repeats messages now and then. */
  readonly repeats: boolean;
  /** How long turns and ended deliveries of webhooks are kept, in ms; null: for good. */
  readonly retention: { journal: number; deliveries: number } | null;
  readonly #folder: string;
  #isPrepared = false;
  readonly #calls: { sources: Calls; webhooks: Calls };
  /** Steps of a process, by its name, until it is cut off. */
  readonly #cutIn = new Map<string, number>();
  /** How much the clocks are ahead of virtual time, in ms. */
  #ahead = 0;
  /** Steps of the write path until the disk fails, and for how many it does. */
  #diskFailsIn = Number.POSITIVE_INFINITY;
  #diskFailures = 0;

  constructor(options: WorldOptions, mostEvents: number) {
    const random = new Random(options.seed);
    const time = new VirtualTime(mostEvents);
    time.onDefect = (error) => this.defect(error);
    const trace = new Trace(time, { keep: options.keepTrace ?? false, onLine: options.onLine ?? null });
    this.random = random;
    this.time = time;
    this.trace = trace;
    this.shards = options.shards;
    const isCluster = options.nodes === 2;
    const replicated = random.chance(0.25) || isCluster;
    this.repeats = random.chance(0.5);
    // Longer than a key of a client is good for: what is forgotten can not be recognised.
    this.retention = random.chance(0.5) ? { journal: 26 * hour, deliveries: 30 * hour } : null;
    const step = (process: SimulatedProcess, name: string): void => this.#step(process, name);
    const names = isCluster ? ['a', 'b'] : [''];
    const tenures = new Tenures(time, options.shards, names[0]!);
    this.partition = new Partition(time, trace);
    const { partition } = this;
    this.bus = new UnreliableBus({ time, random, trace, reaches: (from, to) => partition.reaches(from, to), step });
    this.logs = new ShardLogs({
      ...{ time, random, trace },
      reaches: ({ node }) => partition.isConnected(node),
      taken: ({ node }, shard) => tenures.taken(shard, node) && this.#ownerReplaced(shard),
      fenced: (process, shard) => this.cluster?.fenced(process, shard),
    });
    const problem = (text: string): unknown => this.problems.push(text);
    this.callWatch = new CallWatch({ time, tenures, shards: options.shards, nodes: () => this.nodes, problem });
    this.sources = new SimulatedSources({
      ...{ random, trace },
      onCall: (hub, messageId) => this.callWatch.called(hub, messageId),
      tenureOf: (hub, messageId) => this.callWatch.tenureOf(hub, messageId),
    });
    this.receivers = new SimulatedReceivers(random, trace, tenures);
    this.#calls = {
      sources: new Calls(this.sources, { time, random, step }),
      webhooks: new Calls(this.receivers, { time, random, step }),
    };
    this.#folder = mkdtempSync(join(options.folder ?? scratch, 'parley-simulation-'));
    const { bus, shards, retention, logs } = this;
    const around: Surroundings = {
      ...{ time, random, trace, bus, shards, retention, calls: this.#calls },
      owned: isCluster ? [] : Array.from({ length: shards }, (_, shard) => shard),
      sabotage: options.sabotage ?? null,
      now: () => this.now(),
      logFor: (process, watch) => (replicated ? logs.replicated(process, watch) : logs.local(process, watch)),
      watch: this.#watch(),
      committed: ({ store }) => this.witness.look(store.feed),
      hubDied: (process) => this.sources.forget((id, { hub }) => hub === process && !this.#isDelivered(id)),
      problem,
    };
    this.nodes = names.map((name) => new SimulatedNode(name, this.#folder, around));
    this.witness = new Witness(time);
    for (const node of this.nodes) node.start();
    this.cluster = isCluster ? this.#startCluster(tenures) : null;
  }

  #startCluster(tenures: Tenures): Cluster {
    const { time, random, trace, shards, nodes } = this;
    const cluster = new Cluster({
      ...{ time, random, trace, shards, members: nodes },
      // In the beginning the first node owns all.
      reaches: ({ name }) => (this.#isPrepared ? this.partition.isConnected(name) : name === this.#first.name),
      ownerOf: (shard) => tenures.of(shard).node,
      problem: (text) => this.problems.push(text),
    });
    cluster.start();
    return cluster;
  }

  /** Everything is connected by now: from here on nodes are as good as each other. */
  prepared(): void {
    this.#isPrepared = true;
  }

  /** Whether each shard has its owner, and all nodes have all that its log holds. */
  get isSettled(): boolean {
    return this.cluster?.isSettled((shard) => this.logs.held(shard).length) ?? true;
  }

  /** How many of the events that were seen, from the first one on, each node has. */
  get knownToAll(): number {
    const ends = this.nodes.map(({ end }) => end);
    const unknown = this.witness.seen.findIndex(({ shard, place }) => ends.some((end) => place > end[shard]!));
    return unknown < 0 ? this.witness.seen.length : unknown;
  }

  /** Whether the node of a process has not all yet that others have. */
  isBehind(process: SimulatedProcess): boolean {
    const { end } = this.nodes.find(({ name }) => name === process.node)!;
    return this.nodes.some((other) => other.end.some((place, shard) => place > end[shard]!));
  }

  /** What its owner has heard and not stored, the next one can not know. */
  #ownerReplaced(shard: number): void {
    this.sources.forget((id) => this.callWatch.isIn(shard, id) && !this.#isDelivered(id));
  }

  /** The node that is asked what is stored. */
  get #first(): SimulatedNode {
    return this.nodes[0]!;
  }

  get db(): Connection {
    return this.#first.db;
  }

  get store(): OpenStoreReader {
    return this.#first.store;
  }

  /** A hub that a client finds; null when none is up. */
  get hub(): HubProcess | null {
    if (this.cluster === null || !this.#isPrepared) return this.#first.hub;
    return this.random.pick(this.nodes.filter(({ hub }) => hub !== null))?.hub ?? null;
  }

  get up(): boolean {
    return this.nodes.every((node) => node.up);
  }

  /** A process is cut off before its nth step from now. */
  planCut(process: ProcessName, steps: number): void {
    this.#cutIn.set(this.random.pick(this.nodes).processName(process), steps);
  }

  planDiskFailure(steps: number, failures: number): void {
    this.#diskFailsIn = steps;
    this.#diskFailures = failures;
  }

  /** Kills one of the processes now. */
  kill(which: ProcessName): void {
    this.random.pick(this.nodes).kill(which);
  }

  /** How a replicated log does. */
  setLog(isWell: boolean): void {
    this.logs.deliveries = isWell ? { answers: 1 } : unwell;
    this.logs.staleTails = isWell ? 0 : 0.1;
  }

  /** No more faults: what is down comes up, and stays. */
  heal(): void {
    this.#cutIn.clear();
    this.#diskFailures = 0;
    this.setLog(true);
    this.partition.heal();
    this.bus.faults = noBusFaults;
    this.sources.mood = 'well';
    this.sources.moods.clear();
    this.receivers.mood = 'well';
    this.receivers.moods.clear();
  }

  /** What nobody caught: it would have ended the process. That of a dead one is nothing: it was cut off in a step. */
  defect(error: unknown): void {
    if (error instanceof Cut) return;
    this.problems.push(`nobody caught ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  /** Of events that somebody has not got, those for which the hub is to blame. */
  blameable(missing: readonly Seen[]): readonly Seen[] {
    if (missing.length === 0 || this.retention === null || holds.gapsAreTold) return missing;
    const kept = this.witness.kept(this.store.feed);
    return missing.filter((seen) => kept.has(seen));
  }

  /** Calls of the hub that are not answered. */
  get callsUnderWay(): number {
    return this.#calls.sources.underWay + this.#calls.webhooks.underWay;
  }

  close(): void {
    for (const node of this.nodes) node.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What the clocks of all processes show, epoch ms. */
  now(): number {
    return this.time.now() + this.#ahead;
  }

  /** Sets the clocks of all processes forwards, or back. Timers run on as they were. */
  setClock(byMs: number): void {
    this.#ahead += byMs;
    this.trace.note('clock', String(this.#ahead));
  }

  /** Clocks are right again. */
  correctClock(): void {
    if (this.#ahead !== 0) this.setClock(-this.#ahead);
  }

  /** The delivery state of a stored message, null for a message that is not there. */
  stateOf(messageId: string): string | null {
    return this.store.messages.find(messageId)?.message.state ?? null;
  }

  /** Whether any node knows a message as delivered. */
  #isDelivered(messageId: string): boolean {
    return this.nodes.some(({ store }) => store.messages.find(messageId)?.message.state === 'delivered');
  }

  #step(process: SimulatedProcess, name: string): void {
    const left = this.#cutIn.get(process.name);
    if (left === undefined || !process.alive) return;
    this.#cutIn.set(process.name, left - 1);
    if (left > 1) return;
    this.#cutIn.delete(process.name);
    this.trace.note('cut', `${process.name} before ${name}`);
    process.kill();
  }

  #watch(): Omit<StepWatch, 'committed'> {
    return {
      step: (process, name) => this.#step(process, name),
      diskFails: (name) => {
        if (this.#diskFailures === 0 || --this.#diskFailsIn > 0) return false;
        this.#diskFailures--;
        this.trace.note('disk', name);
        return true;
      },
    };
  }
}
