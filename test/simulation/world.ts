import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '#actors/store/database.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import { Calls } from './calls.ts';
import { Cut, type Sabotage, type StepWatch } from './faulty-store.ts';
import { holds } from './holds.ts';
import { type HubProcess, type ProcessName, SimulatedNode } from './node.ts';
import type { SimulatedProcess } from './process.ts';
import { Random } from './random.ts';
import { SimulatedReceivers } from './receivers.ts';
import { scratch } from './scratch.ts';
import { ShardLogs, unwell } from './shard-logs.ts';
import { SimulatedSources } from './sources.ts';
import { Trace } from './trace.ts';
import { noBusFaults, UnreliableBus } from './unreliable-bus.ts';
import { VirtualTime } from './virtual-time.ts';
import { type Seen, Witness } from './witness.ts';

export interface WorldOptions {
  seed: number;
  shards: number;
  sabotage?: Sabotage | undefined;
  /** Keeps all lines of the trace. */
  keepTrace?: boolean | undefined;
  /** Told each line of the trace as it comes. */
  onLine?: ((line: string) => void) | undefined;
  /** Where the run's files are, instead of a disk in memory. */
  folder?: string | undefined;
}

const hour = 3_600_000;
/** More effects than wait in any run. */
const manyEffects = 10_000;

/** A hub of one node with everything around it, under the control of one seed. */
export class World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly bus: UnreliableBus;
  readonly sources: SimulatedSources;
  readonly receivers: SimulatedReceivers;
  readonly witness: Witness;
  readonly logs: ShardLogs;
  readonly shards: number;
  readonly nodes: readonly SimulatedNode[];
  /** What parts said that a healthy hub never says, and what the watchers saw. */
  readonly problems: string[] = [];
  /** The bus of this run repeats messages now and then. */
  readonly repeats: boolean;
  /** How long turns and ended deliveries of webhooks are kept, in ms; null: for good. */
  readonly retention: { journal: number; deliveries: number } | null;
  readonly #folder: string;
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
    const replicated = random.chance(0.25);
    this.repeats = random.chance(0.5);
    // Longer than a key of a client is good for: what is forgotten can not be recognised.
    this.retention = random.chance(0.5) ? { journal: 26 * hour, deliveries: 30 * hour } : null;
    const step = (process: SimulatedProcess, name: string): void => this.#step(process, name);
    this.bus = new UnreliableBus({ time, random, trace, step });
    this.logs = new ShardLogs({ time, random, trace });
    this.sources = new SimulatedSources({ random, trace, onCall: (messageId) => this.#checkHead(messageId) });
    this.receivers = new SimulatedReceivers(random, trace);
    this.#calls = {
      sources: new Calls(this.sources, { time, random, step }),
      webhooks: new Calls(this.receivers, { time, random, step }),
    };
    this.#folder = mkdtempSync(join(options.folder ?? scratch, 'parley-simulation-'));
    const { bus, shards, retention, logs } = this;
    const node = new SimulatedNode('', this.#folder, {
      ...{ time, random, trace, bus, shards, retention, calls: this.#calls },
      owned: Array.from({ length: shards }, (_, shard) => shard),
      sabotage: options.sabotage ?? null,
      now: () => this.now(),
      logFor: (process, watch) => (replicated ? logs.replicated(process, watch) : logs.local(process, watch)),
      watch: this.#watch(),
      committed: ({ store }) => this.witness.look(store.feed),
      hubDied: (_node, process) => this.sources.forget(process, (messageId) => this.stateOf(messageId) === 'delivered'),
      problem: (text) => this.problems.push(text),
    });
    this.nodes = [node];
    this.witness = new Witness(time);
    node.start();
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
    return this.#first.hub;
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
  }

  /** No more faults: what is down comes up, and stays. */
  heal(): void {
    this.#cutIn.clear();
    this.#diskFailures = 0;
    this.setLog(true);
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

  /** The hub calls for a message: it must be the head of its lane, for nothing overtakes. */
  #checkHead(messageId: string): void {
    const { outbox, deliveries } = this.store;
    const effects = Array.from({ length: this.shards }, (_, shard) => outbox.after(shard, -1, manyEffects)).flat();
    const mine = effects.find(({ subject }) => deliveries.find(subject)?.message.id === messageId);
    const head = effects.find(({ lane }) => lane === mine?.lane);
    if (mine === undefined || mine !== head) {
      this.problems.push(`the hub called for ${messageId}, which is not the head of its lane`);
    }
  }
}
