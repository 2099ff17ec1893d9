import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '#actors/ports.ts';
import { type Connection, openForReading, type Statement } from '#actors/store/database.ts';
import { type OpenStoreReader, openStoreReader } from '#actors/store-reader.ts';
import { kindTables } from '#actors/kinds.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { uuidToBytes } from '#actors/uuid.ts';
import { Metrics } from '#src/metrics.ts';
import { createFront, type Front } from '#src/node/front.ts';
import { startHost } from '#src/node/owner-host.ts';
import { startDispatch } from '#src/node/owner-dispatch.ts';
import { openServices } from '#src/node/services.ts';
import { testConfig } from '../_support/config.ts';
import { Cut, type Delivery, faultyStore, LogWatch, type Sabotage, type StepWatch } from './faulty-store.ts';
import { emptyStore, scratch } from './scratch.ts';
import { SimulatedProcess } from './process.ts';
import { Random } from './random.ts';
import { SimulatedSources } from './sources.ts';
import { sourceTokens } from './source-tokens.ts';
import { Trace } from './trace.ts';
import { noBusFaults, UnreliableBus } from './unreliable-bus.ts';
import { VirtualTime } from './virtual-time.ts';

export interface WorldOptions {
  seed: number;
  shards: number;
  sabotage?: Sabotage | undefined;
  /** Keeps all lines of the trace. */
  keepTrace?: boolean | undefined;
  /** Told each line of the trace as it comes. */
  onLine?: ((line: string) => void) | undefined;
  /** Where the run's file is, instead of a disk in memory. */
  folder?: string | undefined;
}

/** The main process of a hub: what clients talk to, and its dispatchers. */
export interface HubProcess {
  process: SimulatedProcess;
  front: Front;
}

/** A whole hub on a file of its own, with everything around it under the control of one seed. */
export class World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly bus: UnreliableBus;
  readonly sources: SimulatedSources;
  readonly log = new LogWatch();
  readonly shards: number;
  readonly file: string;
  /** The invariants' own view of the file. */
  readonly db: Connection;
  readonly store: OpenStoreReader;
  /** What parts said that a healthy hub never says, and what the watchers saw. */
  readonly problems: string[] = [];
  hub: HubProcess | null = null;
  /** The bus of this run repeats messages now and then. */
  readonly repeats: boolean;
  readonly #folder: string;
  readonly #sabotage: Sabotage | null;
  readonly #replicated: boolean;
  #healed = false;
  readonly #closing: (() => void)[] = [];
  readonly #isHead: Statement;
  #host: SimulatedProcess | null = null;
  /** Steps of a process, by its name, until it is cut off. */
  readonly #cutIn = new Map<string, number>();
  /** Steps of the write path until the disk fails, and for how many it does. */
  #diskFailsIn = Number.POSITIVE_INFINITY;
  #diskFailures = 0;

  constructor(options: WorldOptions, mostEvents: number) {
    this.random = new Random(options.seed);
    this.shards = options.shards;
    this.time = new VirtualTime(mostEvents);
    this.time.onDefect = (error) => this.defect(error);
    this.trace = new Trace(this.time, { keep: options.keepTrace ?? false, onLine: options.onLine ?? null });
    this.#sabotage = options.sabotage ?? null;
    this.#replicated = this.random.chance(0.25);
    this.repeats = this.random.chance(0.5);
    const { random, time, trace } = this;
    const step = (process: SimulatedProcess, name: string): void => this.#step(process, name);
    this.bus = new UnreliableBus({ time, random, trace, step });
    this.sources = new SimulatedSources({
      ...{ time, random, trace, step },
      onCall: (messageId) => this.#checkHead(messageId),
    });
    this.#folder = mkdtempSync(join(options.folder ?? scratch, 'parley-simulation-'));
    this.file = join(this.#folder, 'parley.db');
    writeFileSync(this.file, emptyStore());
    this.startHost();
    this.startHub();
    this.db = openForReading(this.file);
    this.store = openStoreReader(this.file, this.shards);
    this.#isHead = this.db
      .prepare(
        `SELECT count(*) FROM outbox mine JOIN message m ON m.key = mine.subject
         WHERE m.id = ? AND mine.key = (SELECT min(key) FROM outbox WHERE lane = mine.lane)`,
      )
      .pluck();
  }

  /** The process is cut off before its nth step from now. */
  planCut(process: 'host' | 'hub', steps: number): void {
    this.#cutIn.set(process, steps);
  }

  planDiskFailure(steps: number, failures: number): void {
    this.#diskFailsIn = steps;
    this.#diskFailures = failures;
  }

  /** No more faults: what is down comes up, and stays. */
  heal(): void {
    this.#healed = true;
    this.#cutIn.clear();
    this.#diskFailures = 0;
    this.bus.faults = noBusFaults;
    this.sources.mood = 'well';
    this.sources.moods.clear();
  }

  /** The owner of all shards; in production a thread of its own. */
  startHost(): void {
    const process = new SimulatedProcess('host', this.time, this.random);
    const watch = this.#watch();
    const store = openHostStore({
      ...{ file: this.file, durability: 'normal', shards: this.shards, tables: kindTables },
      instance: '00000000-0000-4000-8000-000000000000',
    });
    this.#host = process;
    this.#reapAtDeath(process, () => store.close());
    process.onDeath(() => this.time.after(1 + this.random.int(2_000), () => this.startHost()));
    startHost({
      shards: this.shards,
      store: faultyStore(store, process, watch, this.#sabotage),
      log: this.#replicated
        ? this.log.replicated(
            process,
            watch,
            () => this.random.int(30),
            () => this.#delivery(),
          )
        : this.log.local(process, watch),
      bus: this.bus.connect(process),
      clock: process.clock,
      logger: this.#logger(process, ['store.failed']),
    });
  }

  /** What becomes of an append to the replicated log; a healed one answers. */
  #delivery(): Delivery {
    if (this.#healed) return 'answers';
    return this.random.weighted<Delivery>({ answers: 90, 'loses the answer': 6, 'loses the record': 4 });
  }

  /** The main process: clients' requests, dispatchers. When it dies its host dies too. */
  startHub(): void {
    const process = new SimulatedProcess('hub', this.time, this.random);
    const client = this.sources.clientFor(process);
    const services = openServices({
      config: { ...testConfig(), data: { dir: this.#folder, durability: 'normal', shards: this.shards } },
      file: this.file,
      bus: this.bus.connect(process),
      clock: process.clock,
      ids: this.random,
      log: this.#logger(process, []),
      samples: client,
      tokens: sourceTokens,
    });
    this.#reapAtDeath(process, () => services.close());
    const metrics = new Metrics();
    this.hub = { process, front: createFront(services, metrics) };
    process.onDeath(() => this.#hubDied(process));
    startDispatch(services, { sources: client, webhooks: client, metrics });
  }

  /** What nobody caught: it would have ended the process. That of a dead one is nothing: it was cut off in a step. */
  defect(error: unknown): void {
    if (error instanceof Cut) return;
    this.problems.push(`nobody caught ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  /** Kills one of the two processes now. */
  kill(which: 'host' | 'hub'): void {
    if (which === 'host') this.#host?.kill();
    else this.hub?.process.kill();
  }

  get up(): boolean {
    return this.hub !== null && this.#host?.alive === true;
  }

  close(): void {
    for (const close of this.#closing.splice(0)) close();
    this.store.close();
    this.db.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What the clocks of all processes show. */
  now(): number {
    return this.time.now();
  }

  /** The delivery state of a stored message, null for a message that is not there. */
  stateOf(messageId: string): string | null {
    return this.store.messages.find(messageId)?.message.state ?? null;
  }

  #hubDied(process: SimulatedProcess): void {
    this.hub = null;
    this.#host?.kill();
    this.sources.forget(process, (messageId) => this.stateOf(messageId) === 'delivered');
    this.time.after(1 + this.random.int(3_000), () => this.startHub());
  }

  /** What a dead process had open is closed a moment later: not under the feet of the code that was cut off. */
  #reapAtDeath(process: SimulatedProcess, close: () => void): void {
    this.#closing.push(close);
    process.onDeath(() => {
      this.trace.note('died', process.name);
      this.time.after(0, () => {
        this.#closing.splice(this.#closing.indexOf(close), 1);
        close();
      });
    });
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

  #watch(): StepWatch {
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
    if (this.#isHead.get(uuidToBytes(messageId)) !== 1)
      this.problems.push(`the hub called for ${messageId}, which is not the head of its lane`);
  }

  #logger(process: SimulatedProcess, expected: string[]): Logger {
    return {
      info() {},
      warn() {},
      error: (fields, event) => {
        if (!process.alive || expected.includes(event)) return;
        this.problems.push(`${process.name} logged ${event} ${JSON.stringify(fields)}`);
      },
    };
  }
}
