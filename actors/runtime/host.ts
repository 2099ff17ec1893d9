import type { ShardLog } from '../log/shard-log.ts';
import { applyRecord } from '../log/apply.ts';
import { FencedError, NotAppendedError } from '../log/shard-log.ts';
import type { Bus, BusMessage, Cancel, Clock, Logger } from '../ports.ts';
import { Checkpoints, type Mover } from '../store/checkpoints.ts';
import type { HostStore } from '../store/host-store.ts';
import { type ActivationLimits, Activations } from './activation.ts';
import { Batches, type BatchOutcome } from './batch.ts';
import { CommandHandling, isIoError } from './command-handling.ts';
import { CommitLoop } from './commit-loop.ts';
import { encode, type Envelope, envelopeOf, type Reply } from './envelope.ts';
import type { AnyKind } from './kind.ts';
import { defaultMailboxLimits, Mailbox, type MailboxLimits, type Queued } from './mailbox.ts';
import { type PruningRound, Retention, type RetentionPolicy } from './retention.ts';
import { Shard, shardOf } from './shard.ts';
import { signalOf } from './signal.ts';
import { Timers } from './timers.ts';

export interface HostOptions {
  /** How many shards there are, and the numbers of those that this host takes at its start. */
  shards: { count: number; owned: readonly number[] };
  store: HostStore;
  log: ShardLog;
  bus: Bus;
  clock: Clock;
  logger: Logger;
  kinds: readonly AnyKind[];
  subjects: { workOfShard(shard: number): string; grew(shard: number): string };
  limits?: MailboxLimits;
  /** Actors kept in memory. */
  activations?: ActivationLimits;
  /** Absent: everything is kept. */
  retention?: RetentionPolicy;
  /** Moves the write-ahead log into the file in a thread of its own. Absent: the host does it between batches. */
  mover?: Mover;
}

/** A shard that this host owns, with what serves it. */
interface Owned {
  shard: Shard;
  loop: CommitLoop;
  unsubscribe: Cancel;
}

/** Wait before the store is tried again after an I/O error, in ms. */
const recoveryDelay = 1_000;
/** What a caller is told to wait when a mailbox is full, in s. */
const overloadedRetryAfter = 1;
/** Wait between two rounds of pruning, in ms: when a round found nothing more, and when it was full. */
const pruningDelay = { idle: 10_000, full: 20 } as const;

/** The owner of shards: takes commands from the bus and makes them durable, one batch at a time. */
export class ActorHost {
  readonly #options: HostOptions;
  readonly #kinds: ReadonlyMap<string, AnyKind>;
  readonly #owned = new Map<number, Owned>();
  readonly #activations: Activations;
  readonly #handling: CommandHandling;
  readonly #batches: Batches;
  readonly #timers: Timers;
  readonly #retention: Retention;
  readonly #checkpoints: Checkpoints;
  /** Of all shards together, where the log is local. */
  readonly #shared: CommitLoop;
  #stopping = false;
  /** Set by an I/O error: why the host takes no commands. */
  #unhealthy: string | null = null;
  #cancelPruning: Cancel = () => {};

  constructor(options: HostOptions) {
    const { store, log, clock, kinds } = options;
    this.#options = options;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#activations = new Activations(options.activations);
    this.#handling = new CommandHandling(store, kinds, this.#activations);
    const onDoubt = (shard: number, error: unknown): void =>
      options.logger.warn({ shard, reason: reasonOf(error) }, 'log.doubt');
    this.#batches = new Batches({ store, log, clock, handling: this.#handling, onDoubt });
    this.#retention = new Retention({
      ...{ store, kinds, clock },
      policy: options.retention ?? {},
      activations: this.#activations,
    });
    this.#timers = new Timers({
      ...{ store, clock },
      owned: () => this.owned,
      addressOf: ({ kind, actor }) => this.#handling.addressOf(kind, actor),
      deliver: (envelope, done) => this.#deliver(envelope, done),
    });
    this.#checkpoints = new Checkpoints(store, clock, options.logger, options.mover ?? null);
    this.#shared = this.#loop();
  }

  /** Takes the shards that it is to own; with a local log they are served when this returns. */
  start(): void {
    const { owned } = this.#options.shards;
    for (const number of owned) {
      if (this.#options.log.replicated) this.#takeSurely(number);
      else this.#serve(number);
    }
    this.#pruneIn(pruningDelay.idle);
  }

  /**
   * Becomes the owner of a shard: applies what its log holds, raises its epoch by a record of its own, and serves it.
   * @throws FencedError when another owner was faster; errors of the log and the store: the shard is not taken
   */
  async take(number: number): Promise<void> {
    const { log, store } = this.#options;
    if (this.#owned.has(number)) return;
    for (const record of await log.tail(number, store.shard(number)?.lsn ?? 0)) applyRecord(store, record);
    const row = store.shard(number);
    const taking = new Shard(number, row, new Mailbox(), (row?.epoch ?? 0) + 1);
    const { record } = taking.prepare([]);
    await log.append(record);
    applyRecord(store, record);
    if (!this.#stopping) this.#serve(number);
  }

  /** Takes a shard as soon as its log lets it. */
  #takeSurely(number: number): void {
    this.take(number).catch((error: unknown) => {
      if (this.#stopping) return;
      this.#options.logger.warn({ shard: number, reason: reasonOf(error) }, 'shard.not_taken');
      this.#options.clock.schedule(recoveryDelay, () => this.#takeSurely(number));
    });
  }

  /** Gives a shard away: takes no more of its commands and resolves when those taken are answered. */
  async release(number: number): Promise<void> {
    const owned = this.#owned.get(number);
    if (owned === undefined) return;
    this.#owned.delete(number);
    owned.unsubscribe();
    await owned.loop.idle();
    owned.loop.remove(owned.shard);
    this.#activations.clear();
  }

  /** The numbers of the shards that it serves. */
  get owned(): number[] {
    return [...this.#owned.keys()].sort((a, b) => a - b);
  }

  /** Takes no more commands and resolves when those taken are answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { unsubscribe } of this.#owned.values()) unsubscribe();
    this.#timers.stop();
    this.#cancelPruning();
    this.#checkpoints.stop();
    await this.idle();
  }

  /** Resolves when no command is queued or in a batch. */
  async idle(): Promise<void> {
    await Promise.all([this.#shared, ...this.#loops()].map((loop) => loop.idle()));
  }

  #loops(): CommitLoop[] {
    return [...new Set([...this.#owned.values()].map(({ loop }) => loop))];
  }

  #loop(): CommitLoop {
    return new CommitLoop({
      batches: this.#batches,
      clock: this.#options.clock,
      committed: (outcome, started) => this.#committed(outcome, started),
      failed: (error, commands) => this.#failed(error, this.#shardsOf(commands), commands),
      undone: () => this.#activations.clear(),
    });
  }

  #serve(number: number): void {
    const { store, bus, subjects, limits, log } = this.#options;
    const shard = new Shard(number, store.shard(number), new Mailbox(limits ?? defaultMailboxLimits));
    const loop = log.replicated ? this.#loop() : this.#shared;
    loop.add(shard);
    const unsubscribe = bus.subscribe(subjects.workOfShard(number), (message) => this.#receive(number, message));
    this.#owned.set(number, { shard, loop, unsubscribe });
    this.#timers.arm();
  }

  #receive(number: number, message: BusMessage): void {
    const respond = (reply: Reply): void => this.#respond(message, reply);
    const envelope = envelopeOf(message.data, this.#kinds);
    if (envelope === null) {
      respond({ ok: false, failure: { code: 'internal', message: 'The message is no envelope of a command.' } });
      return;
    }
    this.#offer(number, { envelope, size: message.data.length, respond });
  }

  /** A reply that can not be sent is lost, as on any bus: its command is as durable as before. */
  #respond(message: BusMessage, reply: Reply): void {
    try {
      message.respond(encode(reply));
    } catch (error) {
      this.#options.logger.warn({ reason: reasonOf(error) }, 'reply.lost');
    }
  }

  #offer(number: number, queued: Queued): boolean {
    const owned = this.#owned.get(number);
    if (this.#unhealthy !== null) {
      queued.respond(unavailable(this.#unhealthy));
      return false;
    }
    if (owned === undefined) {
      queued.respond(notOwner);
      return false;
    }
    if (!owned.shard.mailbox.offer(queued)) {
      const message = 'Too many commands are waiting. Nothing was changed; try again.';
      queued.respond({ ok: false, failure: { code: 'overloaded', message, retryAfter: overloadedRetryAfter } });
      return false;
    }
    owned.loop.schedule();
    return true;
  }

  /** Puts a command of the host's own into its mailbox. */
  #deliver(envelope: Envelope, done: () => void): boolean {
    const number = shardOf(envelope.actor.id, this.#options.shards.count);
    return this.#owned.has(number) && this.#offer(number, { envelope, size: 256, respond: done });
  }

  /** After the durable point: replies, then the signal that there is something to read. */
  #committed(outcome: BatchOutcome, started: number): void {
    const { logger, clock, bus, subjects } = this.#options;
    for (const { command, reply } of outcome.replies) command.respond(reply);
    for (const [shard, grown] of outcome.grew) bus.publish(subjects.grew(shard), signalOf(grown));
    this.#guarded('timers', () => this.#timers.arm());
    this.#checkpoints.committed();
    for (const commandId of outcome.poisoned) logger.error({ commandId }, 'command.dead-lettered');
    const fields = { commands: outcome.replies.length, changes: outcome.changes, ms: clock.now() - started };
    if (outcome.expired > 0) logger.warn({ ...fields, expired: outcome.expired }, 'batch.committed');
    else logger.info(fields, 'batch.committed');
  }

  /** Work beside the write path: its failure is no reason to end the thread. */
  #guarded(part: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.logger.error({ part, reason: reasonOf(error) }, 'host.part_failed');
    }
  }

  #shardsOf(commands: Queued[]): Set<number> {
    return new Set(commands.map(({ envelope }) => shardOf(envelope.actor.id, this.#options.shards.count)));
  }

  /** Nothing of the commands, or of what else was done in the shards, was committed. */
  #failed(error: unknown, shards: Iterable<number>, commands: Queued[]): void {
    if (error instanceof FencedError) {
      for (const command of commands) command.respond(notOwner);
      for (const shard of shards) this.#fenced(shard);
      return;
    }
    const reason = reasonOf(error);
    const reply = unavailable(reason);
    for (const command of commands) command.respond(reply);
    // Only the shard's log was out of reach, and it may be back with the next batch.
    if (error instanceof NotAppendedError) {
      for (const shard of shards) this.#options.logger.warn({ shard, reason }, 'log.not_appended');
      return;
    }
    for (const { shard } of this.#owned.values()) this.#answerAll(shard, reply);
    if (this.#unhealthy === null) this.#options.clock.schedule(recoveryDelay, () => this.#recover());
    this.#unhealthy = reason;
    this.#options.logger.error({ reason }, 'store.failed');
  }

  /** Somebody else owns the shard: its commands are sent there, and nothing of it may be known here any longer. */
  #fenced(number: number): void {
    const owned = this.#owned.get(number);
    if (owned === undefined) return;
    this.#owned.delete(number);
    owned.unsubscribe();
    owned.loop.remove(owned.shard);
    this.#answerAll(owned.shard, notOwner);
    this.#options.logger.warn({ shard: number }, 'shard.fenced');
  }

  #answerAll({ mailbox }: Shard, reply: Reply): void {
    for (const command of mailbox.take(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)) command.respond(reply);
  }

  #pruneIn(delay: number): void {
    this.#cancelPruning = this.#options.clock.schedule(delay, () => {
      let left = this.#owned.size;
      let soon = false;
      const ended = (more: boolean): void => {
        soon ||= more;
        if (--left === 0 && !this.#stopping) this.#pruneIn(soon ? pruningDelay.full : pruningDelay.idle);
      };
      for (const owned of this.#owned.values()) owned.loop.between(() => this.#prune(owned, ended));
      if (left === 0) this.#pruneIn(pruningDelay.idle);
    });
  }

  /** One small round of pruning, between two batches: no command waits longer than for one more of them. */
  async #prune({ shard }: Owned, ended: (more: boolean) => void): Promise<void> {
    let round: PruningRound = { changes: [], commands: [], more: false };
    try {
      if (this.#unhealthy === null && !this.#stopping) {
        await this.#batches.write(shard, () => {
          round = this.#retention.round(shard);
          return round.changes;
        });
      }
      if (round.changes.length > 0) this.#checkpoints.committed();
      for (const envelope of round.commands) this.#deliver(envelope, () => {});
    } catch (error) {
      this.#activations.clear();
      const isDefect = !(error instanceof FencedError || error instanceof NotAppendedError || isIoError(error));
      // A defect of pruning is no reason to refuse commands.
      if (isDefect) this.#options.logger.error({ shard: shard.number, reason: reasonOf(error) }, 'retention.failed');
      else this.#failed(error, [shard.number], []);
    }
    ended(round.more);
  }

  /** Writes nothing of meaning: a commit that reaches the disk tells whether the store is back. */
  #recover(): void {
    if (this.#stopping) return;
    const { transactions } = this.#options.store;
    try {
      transactions.begin();
      transactions.touch();
      transactions.commit();
      this.#unhealthy = null;
      this.#options.logger.info({}, 'store.recovered');
      this.#timers.arm();
    } catch {
      transactions.rollback();
      this.#options.clock.schedule(recoveryDelay, () => this.#recover());
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const notOwner: Reply = {
  ok: false,
  failure: {
    code: 'not_owner',
    message: 'Another node owns this shard. Nothing was changed; try again.',
    retryAfter: 1,
  },
};

const unavailable = (reason: string): Reply => ({
  ok: false,
  failure: {
    code: 'unavailable',
    message: `The store can not be written (${reason}). Nothing was changed; try again.`,
    retryAfter: recoveryDelay / 1000,
  },
});
