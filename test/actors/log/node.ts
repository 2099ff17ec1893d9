import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds, kindTables } from '#actors/kinds.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import type { Logger } from '#actors/ports.ts';
import { ActorHost } from '#actors/runtime/host.ts';
import type { RetentionPolicy } from '#actors/runtime/retention.ts';
import { type HostStore, openHostStore } from '#actors/store/host-store.ts';
import { grewSubject, workOfShard } from '#src/nats/subjects.ts';
import { ManualClock } from '../../_support/manual-clock.ts';
import { MemoryBus } from '../../_support/memory-bus.ts';

/** What the nodes of a test share. */
export class Cluster {
  readonly bus = new MemoryBus();
  readonly clock = new ManualClock();
  readonly log: ShardLog;
  readonly shards: number;

  constructor(log: ShardLog, shards = 2) {
    this.log = log;
    this.shards = shards;
  }
}

export interface NodeOptions {
  /** Shards that it takes at its start. */
  owned?: readonly number[];
  retention?: RetentionPolicy;
  wrapStore?: (store: HostStore) => HostStore;
}

/** A host with a file of its own, beside others. */
export class Node {
  readonly folder = mkdtempSync(join(tmpdir(), 'parley-node-'));
  readonly file = join(this.folder, 'parley.db');
  /** What it has logged besides its batches. */
  readonly said: { event: string; fields: Record<string, unknown> }[] = [];
  readonly cluster: Cluster;
  readonly #options: NodeOptions;
  #store!: HostStore;
  host!: ActorHost;

  constructor(cluster: Cluster, options: NodeOptions = {}) {
    this.cluster = cluster;
    this.#options = options;
    this.start();
  }

  start(): void {
    const { bus, clock, log, shards } = this.cluster;
    const { owned = [], retention, wrapStore = (store) => store } = this.#options;
    this.#store = openHostStore({ file: this.file, durability: 'normal', shards, tables: kindTables });
    const says = (fields: Record<string, unknown>, event: string): void => void this.said.push({ event, fields });
    const logger: Logger = { info() {}, warn: says, error: says };
    this.host = new ActorHost({
      shards: { count: shards, owned },
      ...{ store: wrapStore(this.#store), log, bus, clock, logger, kinds },
      subjects: { workOfShard, grew: grewSubject },
      ...(retention && { retention }),
    });
    this.host.start();
  }

  /** What it said of a kind. */
  events(event: string): Record<string, unknown>[] {
    return this.said.filter((one) => one.event === event).map(({ fields }) => fields);
  }

  async stop(): Promise<void> {
    await this.host.stop();
    this.#store.close();
  }

  /** The process ends: nothing is answered or committed any more. */
  crash(): void {
    this.#store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
