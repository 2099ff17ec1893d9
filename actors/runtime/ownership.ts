import { applyRecord, applyTail } from '../log/apply.ts';
import type { ShardLog } from '../log/shard-log.ts';
import type { Bus, Cancel, Clock, Logger, Parcel } from '../ports.ts';
import type { HostStore } from '../store/host-store.ts';
import type { CommitLoop } from './commit-loop.ts';
import { reasonOf, recoveryDelay } from './failing.ts';
import { defaultMailboxLimits, Mailbox, type MailboxLimits } from './mailbox.ts';
import { Shard } from './shard.ts';

export interface OwnershipOptions {
  /** Tells this owner from every other one, also from itself before a restart. */
  name: string;
  store: HostStore;
  log: ShardLog;
  bus: Bus;
  clock: Clock;
  logger: Logger;
  subjectOf(shard: number): string;
  limits?: MailboxLimits | undefined;
  loopFor(): CommitLoop;
  receive(shard: number, parcel: Parcel): void;
  /** A shard is served from now on. */
  served(): void;
  /** Nothing of shards that have gone may be remembered. */
  gone(): void;
}

/** A shard that this host owns, with what serves it. */
export interface Owned {
  shard: Shard;
  loop: CommitLoop;
  unsubscribe: Cancel;
}

/** The shards that a host owns: how one is taken, served, given away and lost. */
export class Ownership {
  readonly #options: OwnershipOptions;
  readonly #owned = new Map<number, Owned>();
  /** The taking or releasing of a shard that was asked for last. */
  readonly #changing = new Map<number, Promise<void>>();
  #stopping = false;

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  /** With a local log the shards are served when this returns. */
  start(numbers: readonly number[]): void {
    for (const number of numbers) {
      if (this.#options.log.replicated) this.#takeSurely(number);
      else this.#serve(number);
    }
  }

  /** Takes no more commands of any shard, and no more shards. */
  stop(): void {
    this.#stopping = true;
    for (const { unsubscribe } of this.#owned.values()) unsubscribe();
  }

  of(number: number): Owned | undefined {
    return this.#owned.get(number);
  }

  all(): Owned[] {
    return [...this.#owned.values()];
  }

  /** For each shard the key that its next row gets. */
  nextKeys(): Map<number, number> {
    return new Map(this.all().map(({ shard }) => [shard.number, shard.counters.mark().next_key]));
  }

  /** In ascending order. */
  get numbers(): number[] {
    return [...this.#owned.keys()].sort((a, b) => a - b);
  }

  /**
   * Becomes the owner of a shard: applies what its log holds, raises its epoch by a record of its own, and serves it.
   * @throws FencedError when another owner was faster; errors of the log and the store: the shard is not taken
   */
  take(number: number): Promise<void> {
    return this.#inTurn(number, () => this.#take(number));
  }

  async #take(number: number): Promise<void> {
    const { log, store, name } = this.#options;
    if (this.#owned.has(number)) return;
    await applyTail(store, log, number);
    const row = store.shard(number);
    const taking = new Shard(number, row, new Mailbox(), (row?.epoch ?? 0) + 1);
    const { record } = taking.prepare([], name);
    await log.append(record);
    applyRecord(store, record);
    if (!this.#stopping) this.#serve(number);
  }

  /** Gives a shard away: takes no more of its commands and resolves when those taken are answered. */
  release(number: number): Promise<void> {
    return this.#inTurn(number, () => this.#release(number));
  }

  async #release(number: number): Promise<void> {
    const owned = this.#drop(number);
    if (owned === null) return;
    await owned.loop.idle();
    owned.loop.remove(owned.shard);
    this.#options.gone();
  }

  /** Somebody else owns the shard. @returns it, with the commands that still wait in its mailbox; null: it is not ours */
  lose(number: number): Shard | null {
    const owned = this.#drop(number);
    if (owned === null) return null;
    owned.loop.remove(owned.shard);
    this.#options.logger.warn({ shard: number }, 'shard.fenced');
    return owned.shard;
  }

  /** Of one shard, one after the other: the last records of an owner must not meet the first one of the next. */
  async #inTurn(number: number, change: () => Promise<void>): Promise<void> {
    const before = this.#changing.get(number);
    const done = before === undefined ? change() : before.then(change, change);
    this.#changing.set(number, done);
    try {
      await done;
    } finally {
      if (this.#changing.get(number) === done) this.#changing.delete(number);
    }
  }

  #drop(number: number): Owned | null {
    const owned = this.#owned.get(number);
    if (owned === undefined) return null;
    this.#owned.delete(number);
    owned.unsubscribe();
    return owned;
  }

  /** Takes a shard as soon as its log lets it. */
  #takeSurely(number: number): void {
    this.take(number).catch((error: unknown) => {
      if (this.#stopping) return;
      this.#options.logger.warn({ shard: number, reason: reasonOf(error) }, 'shard.not_taken');
      this.#options.clock.schedule(recoveryDelay, () => this.#takeSurely(number));
    });
  }

  #serve(number: number): void {
    const { store, bus, subjectOf, limits, loopFor, receive, served } = this.#options;
    const shard = new Shard(number, store.shard(number), new Mailbox(limits ?? defaultMailboxLimits));
    const loop = loopFor();
    loop.add(shard);
    const unsubscribe = bus.subscribe(subjectOf(number), (parcel) => receive(number, parcel));
    this.#owned.set(number, { shard, loop, unsubscribe });
    served();
  }
}
