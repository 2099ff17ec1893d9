import type { ShardLog } from '../log/shard-log.ts';
import { Checkpoints, type Mover } from '../store/checkpoints.ts';
import type { HostStore } from '../store/host-store.ts';
import { Activations } from './activation.ts';
import { Batches, type BatchOutcome, type Share, UnfitCommand } from './batch.ts';
import { type ActorDefinitions, CommandHandling } from './command-handling.ts';
import { encode, type Envelope, envelopeOf, type Reply } from './envelope.ts';
import { defaultMailboxLimits, Mailbox, type MailboxLimits, type Queued } from './mailbox.ts';
import type { Bus, BusMessage, Cancel, Clock, Logger } from '../ports.ts';
import { Retention, type RetentionPolicy } from './retention.ts';
import { Shard } from './shard.ts';
import { growing, signalOf } from './signal.ts';
import { Timers } from './timers.ts';

export interface HostOptions {
  /** How many shards there are, and the numbers of those that this host owns. */
  shards: { count: number; owned: readonly number[] };
  store: HostStore;
  log: ShardLog;
  bus: Bus;
  clock: Clock;
  logger: Logger;
  definitions: ActorDefinitions;
  subjects: { workOfShard(shard: number): string; grew(shard: number): string };
  limits?: MailboxLimits;
  /** Actors kept in memory. */
  activations?: number;
  /** Absent: every event is kept. */
  retention?: RetentionPolicy;
  /** Moves the write-ahead log into the file in a thread of its own. Absent: the host does it between batches. */
  mover?: Mover;
}

/** Bounds of one batch. No artificial wait: a batch is whatever is queued. */
const batchLimits = { commands: 256, bytes: 512 * 1024 } as const;
/** Wait before the store is tried again after an I/O error, in ms. */
const recoveryDelay = 1_000;
/** What a caller is told to wait when a mailbox is full, in s. */
const overloadedRetryAfter = 1;
/** Wait between two turns of pruning, in ms: when a turn found nothing more, and when it was full. */
const pruningDelay = { idle: 10_000, full: 20 } as const;

/** The owner of shards: takes commands from the bus and makes them durable, one batch at a time. */
export class ActorHost {
  readonly #options: HostOptions;
  readonly #shards = new Map<number, Shard>();
  readonly #activations: Activations;
  readonly #batches: Batches;
  readonly #timers: Timers;
  readonly #retention: Retention;
  readonly #checkpoints: Checkpoints;
  readonly #subscriptions: Cancel[] = [];
  #scheduled = false;
  #running = false;
  #stopping = false;
  /** Set by an I/O error: why the host takes no commands. */
  #unhealthy: string | null = null;
  #pruningDue = false;
  #cancelPruning: Cancel = () => {};
  #idleWaiters: (() => void)[] = [];

  constructor(options: HostOptions) {
    this.#options = options;
    this.#activations = new Activations(options.activations);
    this.#retention = new Retention(options.store, options.retention ?? null);
    this.#checkpoints = new Checkpoints(options.store, options.clock, options.logger, options.mover ?? null);
    const handling = new CommandHandling(options.store, options.definitions, this.#activations);
    this.#batches = new Batches(options.store, options.log, handling);
    this.#timers = new Timers(options.store, options.clock, (envelope, done) => this.#deliverTimer(envelope, done));
  }

  start(): void {
    const { shards, store, bus, subjects } = this.#options;
    for (const number of shards.owned) {
      const shard = new Shard(number, store.shard(number), new Mailbox(this.#options.limits ?? defaultMailboxLimits));
      this.#shards.set(number, shard);
      this.#subscriptions.push(bus.subscribe(subjects.workOfShard(number), (message) => this.#receive(shard, message)));
    }
    this.#timers.arm();
    this.#pruneIn(pruningDelay.idle);
  }

  /** Takes no more commands and resolves when those taken are answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const cancel of this.#subscriptions) cancel();
    this.#timers.stop();
    this.#cancelPruning();
    this.#checkpoints.stop();
    await this.idle();
  }

  /** Resolves when no command is queued or in a batch. */
  idle(): Promise<void> {
    if (!this.#running && !this.#scheduled && this.#queued() === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  #queued(): number {
    let queued = 0;
    for (const shard of this.#shards.values()) queued += shard.mailbox.length;
    return queued;
  }

  #receive(shard: Shard, message: BusMessage): void {
    const respond = (reply: Reply): void => this.#respond(message, reply);
    const envelope = envelopeOf(message.data);
    if (envelope === null) {
      respond({ ok: false, failure: { code: 'internal', message: 'The message is no envelope of a command.' } });
      return;
    }
    this.#offer(shard, { envelope, size: message.data.length, respond });
  }

  /** A reply that can not be sent is lost, as on any bus: its command is as durable as before. */
  #respond(message: BusMessage, reply: Reply): void {
    try {
      message.respond(encode(reply));
    } catch (error) {
      this.#options.logger.warn({ reason: (error as Error).message }, 'reply.lost');
    }
  }

  #offer(shard: Shard, queued: Queued): boolean {
    if (this.#unhealthy !== null) {
      const message = `The store can not be written (${this.#unhealthy}). Nothing was changed; try again.`;
      queued.respond({ ok: false, failure: { code: 'unavailable', message, retryAfter: recoveryDelay / 1000 } });
      return false;
    }
    if (!shard.mailbox.offer(queued)) {
      const message = 'Too many commands are waiting. Nothing was changed; try again.';
      queued.respond({ ok: false, failure: { code: 'overloaded', message, retryAfter: overloadedRetryAfter } });
      return false;
    }
    this.#schedule();
    return true;
  }

  #deliverTimer(envelope: Envelope, done: () => void): boolean {
    for (const shard of this.#shards.values()) {
      if (shard.owns(envelope.actor.id, this.#options.shards.count)) {
        return this.#offer(shard, { envelope, size: 256, respond: done });
      }
    }
    return false;
  }

  #schedule(): void {
    if (this.#scheduled || this.#running) return;
    this.#scheduled = true;
    this.#options.clock.soon(() => {
      this.#scheduled = false;
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    try {
      const shares = this.#takeShares();
      if (shares.length > 0) {
        const outcome = this.#runBatch(shares);
        if (outcome instanceof Promise) await outcome;
      }
      if (this.#pruningDue && this.#unhealthy === null && !this.#stopping) await this.#prune();
    } finally {
      this.#running = false;
      if (this.#queued() > 0) this.#schedule();
      else for (const resolve of this.#idleWaiters.splice(0)) resolve();
    }
  }

  #takeShares(): Share[] {
    const shares: Share[] = [];
    const waiting = [...this.#shards.values()].filter(({ mailbox }) => mailbox.length > 0);
    let left: number = batchLimits.commands;
    for (const [i, shard] of waiting.entries()) {
      const even = Math.ceil(left / (waiting.length - i));
      const commands = shard.mailbox.take(even, batchLimits.bytes / waiting.length);
      if (commands.length > 0) shares.push({ shard, commands });
      left -= commands.length;
    }
    return shares;
  }

  #runBatch(shares: Share[]): void | Promise<void> {
    const started = this.#options.clock.now();
    let outcome: BatchOutcome | Promise<BatchOutcome>;
    try {
      outcome = this.#batches.run(shares, started);
    } catch (error) {
      return this.#failed(shares, error);
    }
    if (!(outcome instanceof Promise)) return this.#committed(outcome, started);
    return outcome.then(
      (done) => this.#committed(done, started),
      (error) => this.#failed(shares, error),
    );
  }

  /** After the durable point: replies, then the signal that there is something to read. */
  #committed(outcome: BatchOutcome, started: number): void {
    for (const { command, reply } of outcome.replies) command.respond(reply);
    for (const shard of outcome.grew) this.#options.bus.publish(this.#options.subjects.grew(shard), signalOf(growing));
    if (!this.#stopping) this.#timers.arm();
    this.#checkpoints.committed();
    const { logger, clock } = this.#options;
    for (const commandId of outcome.poisoned) logger.error({ commandId }, 'command.dead-lettered');
    const fields = { commands: outcome.replies.length, changes: outcome.changes, ms: clock.now() - started };
    if (outcome.expired > 0) logger.warn({ ...fields, expired: outcome.expired }, 'batch.committed');
    else logger.info(fields, 'batch.committed');
  }

  #failed(shares: Share[], error: unknown): void | Promise<void> {
    this.#activations.clear();
    // One command of the batch is to blame and now known: the others must not suffer.
    if (error instanceof UnfitCommand) return this.#runBatch(shares);
    const reason = error instanceof Error ? error.message : String(error);
    this.#unhealthy = reason;
    this.#options.logger.error({ reason }, 'store.failed');
    const message = `The store can not be written (${reason}). Nothing was changed; try again.`;
    const reply: Reply = { ok: false, failure: { code: 'unavailable', message, retryAfter: 1 } };
    for (const { commands } of shares) for (const command of commands) command.respond(reply);
    for (const shard of this.#shards.values()) {
      for (const command of shard.mailbox.take(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))
        command.respond(reply);
    }
    this.#options.clock.schedule(recoveryDelay, () => this.#recover());
  }

  #pruneIn(delay: number): void {
    this.#cancelPruning = this.#options.clock.schedule(delay, () => {
      this.#pruningDue = true;
      this.#schedule();
    });
  }

  /** One small turn of pruning, between two batches: no command waits longer than for one more of them. */
  async #prune(): Promise<void> {
    this.#pruningDue = false;
    const shards = [...this.#shards.values()];
    let more = false;
    try {
      const turns = shards.map((shard) => this.#retention.turn(shard.number, this.#options.clock.now()));
      more = turns.some((turn) => turn.more);
      const changes = turns.map((turn) => turn.changes);
      const count = changes.reduce((sum, part) => sum + part.length, 0);
      if (count > 0) {
        await this.#batches.write(shards, changes);
        this.#checkpoints.committed();
      }
    } catch (error) {
      await this.#failed([], error);
      more = false;
    }
    if (!this.#stopping) this.#pruneIn(more ? pruningDelay.full : pruningDelay.idle);
  }

  /** Writes nothing of meaning: an empty commit that reaches the disk tells whether the store is back. */
  #recover(): void {
    if (this.#stopping) return;
    const { transactions } = this.#options.store;
    try {
      transactions.begin();
      for (const shard of this.#shards.values()) {
        const change = shard.touch();
        if (change !== null) transactions.apply(change);
      }
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
