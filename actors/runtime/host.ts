import { randomUUID } from 'node:crypto';
import type { ShardLog } from '../log/shard-log.ts';
import { FencedError, NotAppendedError } from '../log/shard-log.ts';
import type { Bus, Clock, Logger, Parcel } from '../ports.ts';
import { Problems } from '../problems.ts';
import { Checkpoints, type Mover } from '../store/checkpoints.ts';
import type { HostStore } from '../store/host-store.ts';
import { isIoError } from '../store/io-error.ts';
import { type ActivationLimits, Activations } from './activation.ts';
import { Batches, type BatchOutcome } from './batch.ts';
import { CommandHandling } from './command-handling.ts';
import { CommitLoop } from './commit-loop.ts';
import { encode, type Envelope, envelopeOf, type Reply } from './envelope.ts';
import { reasonOf, refusals } from './failing.ts';
import type { AnyKind } from './kind.ts';
import type { MailboxLimits, Queued } from './mailbox.ts';
import { Ownership } from './ownership.ts';
import { Pruning } from './pruning.ts';
import { Retention, type RetentionPolicy } from './retention.ts';
import { type Shard, shardOf } from './shard.ts';
import { signalOf } from './signal.ts';
import { StoreHealth } from './store-health.ts';
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
  /** Tells this host from every other one, also from itself before a restart. Default: a random UUID. */
  name?: string;
  subjects: { workOfShard(shard: number): string; grew(shard: number): string };
  limits?: MailboxLimits;
  /** Actors kept in memory. */
  activations?: ActivationLimits;
  /** Absent: everything is kept. */
  retention?: RetentionPolicy;
  /** Moves the write-ahead log into the file in a thread of its own. Absent: the host does it between batches. */
  mover?: Mover;
}

/** The owner of shards: takes commands from the bus and makes them durable, one batch at a time. */
export class ActorHost {
  readonly #options: HostOptions;
  readonly #kinds: ReadonlyMap<string, AnyKind>;
  readonly #ownership: Ownership;
  readonly #activations: Activations;
  readonly #handling: CommandHandling;
  readonly #batches: Batches;
  readonly #timers: Timers;
  readonly #pruning: Pruning;
  readonly #checkpoints: Checkpoints;
  readonly #storeHealth: StoreHealth;
  /** Of the work beside the write path. */
  readonly #problems: Problems;

  constructor(options: HostOptions) {
    const { store, log, bus, clock, logger, kinds } = options;
    this.#options = options;
    this.#problems = new Problems(logger);
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#activations = new Activations(options.activations);
    this.#handling = new CommandHandling(store, kinds, this.#activations);
    const onDoubt = (shard: number, error: unknown): void =>
      logger.warn({ shard, reason: reasonOf(error) }, 'log.doubt');
    this.#batches = new Batches({ store, log, clock, handling: this.#handling, onDoubt });
    const retention = new Retention({
      ...{ store, kinds, clock },
      policy: options.retention ?? {},
      activations: this.#activations,
    });
    this.#timers = new Timers({
      ...{ store, clock },
      owned: () => this.owned,
      nextKeys: () => this.#ownership.nextKeys(),
      addressOf: ({ kind, actor }) => this.#handling.addressOf(kind, actor),
      deliver: (envelope, done) => this.#deliver(envelope, done),
      problems: this.#problems,
    });
    this.#checkpoints = new Checkpoints(store, clock, this.#problems, options.mover ?? null);
    this.#storeHealth = new StoreHealth({
      ...{ clock, logger, transactions: store.transactions },
      opened: () => this.#timers.arm(),
    });
    const shared = this.#loop();
    this.#ownership = new Ownership({
      ...{ store, log, bus, clock, logger, limits: options.limits },
      name: options.name ?? randomUUID(),
      subjectOf: (shard) => options.subjects.workOfShard(shard),
      loopFor: () => (log.replicated ? this.#loop() : shared),
      receive: (shard, parcel) => this.#receive(shard, parcel),
      served: () => this.#timers.arm(),
      gone: () => this.#activations.clear(),
    });
    this.#pruning = new Pruning({
      ...{ retention, clock, logger, batches: this.#batches, ownership: this.#ownership },
      healthy: () => this.#storeHealth.refusal === null,
      committed: () => this.#checkpoints.committed(),
      deliver: (envelope) => this.#deliver(envelope, () => {}),
      failed: (shard, error) => this.#notPruned(shard, error),
    });
  }

  /** Takes the shards that it is to own; with a local log they are served when this returns. */
  start(): void {
    this.#ownership.start(this.#options.shards.owned);
    this.#pruning.start();
  }

  /**
   * Becomes the owner of a shard: applies what its log holds, raises its epoch by a record of its own, and serves it.
   * @throws FencedError when another owner was faster; errors of the log and the store: the shard is not taken
   */
  take(number: number): Promise<void> {
    return this.#ownership.take(number);
  }

  /** Gives a shard away: takes no more of its commands and resolves when those taken are answered. */
  release(number: number): Promise<void> {
    return this.#ownership.release(number);
  }

  /** The numbers of the shards that it serves. */
  get owned(): number[] {
    return this.#ownership.numbers;
  }

  /** Null: what it takes becomes durable, and all that it does besides works; else a sentence that says what does not. */
  get problem(): string | null {
    const { problem } = this.#storeHealth;
    if (problem !== null) return problem;
    const [first] = this.#problems.list();
    return first === undefined ? null : `${first.part}: ${first.problem}`;
  }

  /** Takes no more commands and resolves when those taken are answered. */
  async stop(): Promise<void> {
    this.#ownership.stop();
    this.#storeHealth.stop();
    this.#timers.stop();
    this.#pruning.stop();
    this.#checkpoints.stop();
    await this.idle();
  }

  /** Resolves when no command is queued or in a batch. */
  async idle(): Promise<void> {
    const loops = new Set(this.#ownership.all().map(({ loop }) => loop));
    await Promise.all([...loops].map((loop) => loop.idle()));
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

  #receive(number: number, parcel: Parcel): void {
    const respond = (reply: Reply): void => this.#respond(parcel, reply);
    const envelope = envelopeOf(parcel.data, this.#kinds);
    if (envelope === null) {
      respond({ ok: false, failure: { code: 'internal', message: 'This is no envelope of a command.' } });
      return;
    }
    this.#offer(number, { envelope, size: parcel.data.length, respond });
  }

  /** A reply that can not be sent is lost, as on any bus: its command is as durable as before. */
  #respond(parcel: Parcel, reply: Reply): void {
    try {
      parcel.respond(encode(reply));
    } catch (error) {
      this.#options.logger.warn({ reason: reasonOf(error) }, 'reply.lost');
    }
  }

  #offer(number: number, queued: Queued): boolean {
    const owned = this.#ownership.of(number);
    const { refusal } = this.#storeHealth;
    if (refusal !== null || owned === undefined) {
      // Who can not write can not know whether another node has taken the shard, and done what is asked.
      const isCertain = refusal !== null && !this.#options.log.replicated;
      queued.respond(isCertain ? refusals.unavailable(refusal) : refusals.notOwner);
      return false;
    }
    const refused = owned.shard.mailbox.offer(queued, this.#options.clock.elapsed());
    for (const each of refused) each.respond(refusals.overloaded);
    owned.loop.schedule();
    return !refused.includes(queued);
  }

  /** Puts a command of the host's own into its mailbox. */
  #deliver(envelope: Envelope, done: () => void): boolean {
    const number = shardOf(envelope.actor.id, this.#options.shards.count);
    return this.#ownership.of(number) !== undefined && this.#offer(number, { envelope, size: 256, respond: done });
  }

  /** After the durable point: replies, then the signal that there is something to read. */
  #committed(outcome: BatchOutcome, started: number): void {
    const { logger, clock, bus, subjects } = this.#options;
    this.#storeHealth.committed();
    for (const { command, reply } of outcome.replies) command.respond(reply);
    for (const [shard, grown] of outcome.grew) bus.publish(subjects.grew(shard), signalOf(grown));
    this.#timers.arm();
    this.#checkpoints.committed([...outcome.grew.values()].some((grown) => grown.has('erased')));
    for (const commandId of outcome.poisoned) logger.error({ commandId }, 'command.dead-lettered');
    for (const dropped of outcome.dropped) logger.error(dropped, 'command.dropped');
    const fields = { commands: outcome.replies.length, changes: outcome.changes, ms: clock.now() - started };
    if (outcome.expired > 0) logger.warn({ ...fields, expired: outcome.expired }, 'batch.committed');
    else logger.info(fields, 'batch.committed');
  }

  #shardsOf(commands: Queued[]): Set<number> {
    return new Set(commands.map(({ envelope }) => shardOf(envelope.actor.id, this.#options.shards.count)));
  }

  /** Nothing of the commands, or of what else was done in the shards, was committed. */
  #failed(error: unknown, shards: Iterable<number>, commands: Queued[]): void {
    if (error instanceof FencedError) {
      for (const command of commands) command.respond(refusals.notOwner);
      for (const shard of shards) this.#fenced(shard);
      return;
    }
    const reason = reasonOf(error);
    const reply = refusals.unavailable(reason);
    for (const command of commands) command.respond(reply);
    // Only the shard's log was out of reach, and it may be back with the next batch.
    if (error instanceof NotAppendedError) {
      for (const shard of shards) this.#options.logger.warn({ shard, reason }, 'log.not_appended');
      return;
    }
    for (const { shard } of this.#ownership.all()) this.#answerAll(shard, reply);
    this.#storeHealth.failed(reason);
  }

  /** Somebody else owns the shard: its commands are sent there, and nothing of it may be known here any longer. */
  #fenced(number: number): void {
    const lost = this.#ownership.lose(number);
    if (lost !== null) this.#answerAll(lost, refusals.notOwner);
  }

  #answerAll({ mailbox }: Shard, reply: Reply): void {
    for (const command of mailbox.takeAll()) command.respond(reply);
  }

  /** A round of pruning was not committed. @returns whether the store or the log was the reason */
  #notPruned(shard: number, error: unknown): boolean {
    this.#activations.clear();
    const known = error instanceof FencedError || error instanceof NotAppendedError || isIoError(error);
    if (known) this.#failed(error, [shard], []);
    return known;
  }
}
