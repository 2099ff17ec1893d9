import { applyTail, DivergedError } from '#actors/log/apply.ts';
import type { ShardLog } from '#actors/log/shard-log.ts';
import type { ActorHost } from '#actors/runtime/host.ts';
import { growing, signalOf } from '#actors/runtime/signal.ts';
import type { HostStore } from '#actors/store/host-store.ts';
import type { Bus } from '#actors/ports.ts';
import { grewSubject } from '#src/nats/subjects.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A host process as the cluster sees it: the part of a node that owns shards, or applies what others own. */
export interface ClusterHost {
  process: SimulatedProcess;
  host: Pick<ActorHost, 'owned' | 'take' | 'release'>;
  store: HostStore;
  log: ShardLog;
  bus: Bus;
}

/** A node, as far as the cluster knows it. */
export interface Member {
  readonly name: string;
  /** Null while it is down. */
  readonly host: ClusterHost | null;
}

export interface ClusterOptions {
  time: VirtualTime;
  random: Random;
  trace: Trace;
  shards: number;
  members: readonly Member[];
  /** Whether a member reaches the others and the log. */
  reaches(member: Member): boolean;
  /** The name of the member that owns a shard by the log. */
  ownerOf(shard: number): string;
  problem(text: string): void;
}

/** How often standbys look at the log, in ms, at most; how often owners are looked for. */
const followEvery = 200;
const lookEvery = 500;
/** Looks without an owner before another node takes a shard, and with two before one is told that it has none. */
const patience = { orphaned: 3, doubled: 20 } as const;

/**
 * What makes nodes a cluster: each applies what the others own, and somebody sees to it that every shard has an owner.
 * It may err: a shard can be given to another node while its owner is well and knows nothing of it.
 */
export class Cluster {
  readonly #options: ClusterOptions;
  /** Looks in a row in which a shard had no owner. */
  readonly #orphaned: number[];
  /** Looks in a row in which two took themselves for its owner. */
  readonly #doubled: number[];

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#orphaned = Array.from({ length: options.shards }, () => patience.orphaned);
    this.#doubled = Array.from({ length: options.shards }, () => 0);
  }

  start(): void {
    for (const member of this.#options.members) this.#follow(member);
    this.#look();
  }

  /** A member becomes the owner of a shard, whoever is it now. Nothing comes of it when the log can not be reached. */
  take(member: Member, shard: number): void {
    const { trace } = this.#options;
    const { host } = member;
    if (host === null) return;
    trace.note('cluster', `${member.name} takes ${shard}`);
    host.host.take(shard).catch((error: unknown) => {
      if (host.process.alive) this.#failed(error);
    });
  }

  /** The owner gives a shard away, and another one takes it. */
  async handOver(from: Member, to: Member, shard: number): Promise<void> {
    await from.host?.host.release(shard);
    this.take(to, shard);
  }

  /** Whether every shard has exactly one owner, and all files stand at the end of the log. */
  isSettled(lengthOf: (shard: number) => number): boolean {
    const { members, shards } = this.#options;
    return Array.from({ length: shards }, (_, shard) => shard).every((shard) => {
      const owners = members.filter((member) => owns(member, shard));
      return owners.length === 1 && members.every(({ host }) => host?.store.shard(shard)?.lsn === lengthOf(shard));
    });
  }

  /** A process hears from the log that another node owns a shard: from then on it serves it no longer. */
  fenced(process: SimulatedProcess, shard: number): void {
    const { time, members, ownerOf, problem } = this.#options;
    time.after(0, () => {
      const member = members.find(({ host }) => host?.process === process);
      if (member === undefined || ownerOf(shard) === member.name) return;
      if (owns(member, shard)) problem(`${process.name} serves shard ${shard}, from which it was fenced`);
    });
  }

  #follow(member: Member): void {
    const { time, random } = this.#options;
    void this.#applyAll(member).then(() => time.after(1 + random.int(followEvery), () => this.#follow(member)));
  }

  async #applyAll(member: Member): Promise<void> {
    const { host } = member;
    if (host === null) return;
    const died = new Promise<void>((resolve) => host.process.onDeath(resolve));
    for (let shard = 0; shard < this.#options.shards; shard++) {
      if (!owns(member, shard)) await Promise.race([this.#apply(host, shard), died]);
    }
  }

  async #apply({ process, store, log, bus }: ClusterHost, shard: number): Promise<void> {
    try {
      const grew = await applyTail(store, log, shard);
      if (grew) bus.publish(grewSubject(shard), signalOf(growing));
    } catch (error) {
      if (process.alive) this.#failed(error);
    }
  }

  /** The log may be out of reach, and the disk may fail; but no file may ever differ from the log. */
  #failed(error: unknown): void {
    this.#options.trace.note('cluster', String(error));
    if (error instanceof DivergedError) this.#options.problem(String(error));
  }

  #look(): void {
    const { time, shards } = this.#options;
    for (let shard = 0; shard < shards; shard++) {
      this.#lookForOwner(shard);
      this.#lookForOwners(shard);
    }
    time.after(lookEvery, () => this.#look());
  }

  #lookForOwner(shard: number): void {
    const { random, members, reaches } = this.#options;
    const hasOwner = members.some((member) => owns(member, shard) && reaches(member));
    const orphaned = hasOwner ? 0 : this.#orphaned[shard]! + 1;
    this.#orphaned[shard] = orphaned;
    const candidates = members.filter((member) => member.host !== null && reaches(member));
    if (orphaned >= patience.orphaned && candidates.length > 0) this.take(random.pick(candidates), shard);
  }

  /** An owner that has nothing to append does not find out by itself that it was replaced. */
  #lookForOwners(shard: number): void {
    const { members, reaches, ownerOf } = this.#options;
    const owners = members.filter((member) => owns(member, shard));
    this.#doubled[shard] = owners.length > 1 ? this.#doubled[shard]! + 1 : 0;
    if (this.#doubled[shard]! < patience.doubled) return;
    const replaced = owners.filter((member) => member.name !== ownerOf(shard) && reaches(member));
    for (const { host } of replaced) void host?.host.release(shard);
  }
}

const owns = ({ host }: Member, shard: number): boolean => host?.host.owned.includes(shard) ?? false;
