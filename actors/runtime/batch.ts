import { applyRecord } from '../log/apply.ts';
import { type ChangeRecord, FencedError, NotAppendedError, type ShardLog } from '../log/shard-log.ts';
import type { Clock } from '../ports.ts';
import type { HostStore } from '../store/host-store.ts';
import { isIoError, isOfStore } from '../store/io-error.ts';
import { type Change, writtenBytes } from '../store/table.ts';
import type { CommandHandling } from './command-handling.ts';
import type { Reply } from './envelope.ts';
import { reasonOf } from './failing.ts';
import type { Handled } from './handled.ts';
import type { Growing } from './signal.ts';
import type { Queued } from './mailbox.ts';
import type { Prepared, Shard } from './shard.ts';

/** A shard's part of a batch. */
export interface Share {
  shard: Shard;
  commands: Queued[];
}

/** What a committed batch did, for its replies, its signals and its log line. */
export interface BatchOutcome {
  replies: { command: Queued; reply: Reply }[];
  /** What grew in which shard. */
  grew: Map<number, Set<Growing>>;
  changes: number;
  poisoned: string[];
  /** Commands of which nothing could be kept, not even a dead letter. */
  dropped: { commandId: string; reason: string }[];
  expired: number;
  /** Commands that were not handled: those before them wrote as much as one batch may. */
  left: Share[];
}

export interface BatchOptions {
  store: HostStore;
  log: ShardLog;
  clock: Clock;
  handling: CommandHandling;
  /** A record whose outcome or commit is open: told once for each try that failed. */
  onDoubt(shard: number, error: unknown): void;
}

/**
 * What the commands of a batch write, in bytes, before no other one is begun. A small command can write much: each
 * change of metadata tells all of it.
 */
const mostWritten = 512 * 1024;

/** Wait before a record whose append or commit is in doubt is tried again, in ms. */
const doubtDelay = 200;

/**
 * One batch: every command is handled and its changes applied inside one open transaction, so that the next command
 * reads them; then each shard's change record is appended to the log, and the commit makes it durable.
 */
export class Batches {
  readonly #options: BatchOptions;
  /**
   * Commands that made a batch fail, with the error of each time. When the batch runs again they go to the dead letters,
   * and when that fails too they are dropped.
   */
  readonly #unfit = new WeakMap<Queued, unknown[]>();

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /**
   * @param shares one share where the log is replicated
   * @throws the store's error, FencedError or NotAppendedError: nothing was committed, the shards are as before
   */
  run(shares: Share[], now: number): BatchOutcome | Promise<BatchOutcome> {
    const outcome: BatchOutcome = {
      ...{ replies: [], grew: new Map(), changes: 0 },
      ...{ poisoned: [], dropped: [], expired: 0, left: [] },
    };
    const shards = shares.map(({ shard }) => shard);
    const done = this.#commit(shards, () => shares.map((share) => this.#handleShare(share, now, outcome)));
    return done instanceof Promise ? done.then(() => outcome) : outcome;
  }

  /**
   * Makes changes of a shard durable that no command asked for.
   * @param make reads the store and says what is to change
   * @throws as `run`
   */
  write(shard: Shard, make: () => Change[]): void | Promise<void> {
    return this.#commit([shard], () => {
      const changes = this.#options.store.sealed(make());
      for (const change of changes) this.#options.store.transactions.apply(change);
      return [changes];
    });
  }

  /** `apply` makes and applies each shard's changes. Only when all of them fit is anything appended to the log. */
  #commit(shards: Shard[], apply: () => Change[][]): void | Promise<void> {
    const { store, log } = this.#options;
    const marks = shards.map((shard) => shard.counters.mark());
    const undo = (error: unknown): never => {
      store.transactions.rollback();
      for (const [i, shard] of shards.entries()) shard.counters.reset(marks[i]!);
      throw error;
    };
    try {
      store.transactions.begin();
      const prepared = apply().map((changes, i) =>
        shards[i]!.hasMoved(marks[i]!, changes) ? shards[i]!.prepare(changes) : null,
      );
      if (log.replicated) return this.#replicate(shards, prepared).catch(undo);
      for (const each of prepared) {
        if (each === null) continue;
        store.transactions.advance(each.row, each.record.prevHash);
        void log.append(each.record);
      }
      store.transactions.commit();
      for (const [i, each] of prepared.entries()) if (each !== null) shards[i]!.advance(each);
    } catch (error) {
      return undo(error);
    }
  }

  /** No transaction stays open while a record is on its way: it is applied anew once it is decided. */
  async #replicate(shards: Shard[], prepared: (Prepared | null)[]): Promise<void> {
    this.#options.store.transactions.rollback();
    for (const [i, each] of prepared.entries()) {
      if (each === null) continue;
      await this.#decide(each.record);
      await this.#redo(each.record);
      shards[i]!.advance(each);
    }
  }

  /** Resolves when the record is in the log. The shard stands still meanwhile: what comes next builds on it. */
  async #decide(record: ChangeRecord): Promise<void> {
    for (let inDoubt = false; ; inDoubt = true) {
      try {
        return await this.#options.log.append(record);
      } catch (error) {
        // A refusal says nothing of a try before it whose outcome is open.
        if (error instanceof FencedError || (error instanceof NotAppendedError && !inDoubt)) throw error;
        await this.#doubt(record, error);
      }
    }
  }

  /** What is in the log is committed, again and again if need be. */
  async #redo(record: ChangeRecord): Promise<void> {
    for (;;) {
      try {
        applyRecord(this.#options.store, record);
        return;
      } catch (error) {
        await this.#doubt(record, error);
      }
    }
  }

  #doubt(record: ChangeRecord, error: unknown): Promise<void> {
    this.#options.onDoubt(record.shard, error);
    return new Promise((resolve) => void this.#options.clock.schedule(doubtDelay, resolve));
  }

  #handleShare({ shard, commands }: Share, now: number, outcome: BatchOutcome): Change[] {
    const all: Change[] = [];
    const signals = new Set<Growing>();
    let written = 0;
    for (const [n, command] of commands.entries()) {
      if (written >= mostWritten) {
        outcome.left.push({ shard, commands: commands.slice(n) });
        break;
      }
      const handled = this.#fitting(command, () => this.#handle(command, shard, now, outcome));
      const bytes = handled.changes.reduce((sum, change) => sum + writtenBytes(change), 0);
      written += bytes;
      shard.mailbox.charge(command, bytes);
      for (const change of handled.changes) all.push(change);
      for (const signal of handled.signals) signals.add(signal);
      if (handled.poison) outcome.poisoned.push(command.envelope.commandId);
      outcome.replies.push({ command, reply: handled.reply });
    }
    if (signals.size > 0) outcome.grew.set(shard.number, signals);
    outcome.changes += all.length;
    return all;
  }

  /** Does the work of one command. What is thrown besides errors of the store is its own, and must not spoil the others. */
  #fitting(command: Queued, work: () => Handled): Handled {
    try {
      return work();
    } catch (error) {
      if (isIoError(error)) throw error;
      const earlier = this.#unfit.get(command) ?? [];
      // A letter always fits, unless somebody else has written to the file: then nothing that is known of it is true.
      if (earlier.length > 0 && isOfStore(error)) throw error;
      // Part of its changes may be in the transaction: only the whole batch can be undone, and run again without it.
      this.#unfit.set(command, [...earlier, error]);
      throw new UnfitCommand(command, error);
    }
  }

  #handle(command: Queued, shard: Shard, now: number, outcome: BatchOutcome): Handled {
    const { handling } = this.#options;
    const { envelope } = command;
    const [unfit, unkept] = this.#unfit.get(command) ?? [];
    if (unkept !== undefined) return this.#dropped(envelope.commandId, unkept, outcome);
    if (unfit !== undefined) return this.#applied(handling.unappliable(envelope, shard, unfit));
    if (command.envelope.deadline < now) {
      return { reply: this.#expired(command, outcome), changes: [], signals: new Set(), poison: false };
    }
    return this.#applied(handling.handle(envelope, shard));
  }

  #dropped(commandId: string, error: unknown, outcome: BatchOutcome): Handled {
    outcome.dropped.push({ commandId, reason: reasonOf(error) });
    const message = `The hub could not handle this command, nor keep it: ${commandId}. Nothing was changed.`;
    return {
      reply: { ok: false, failure: { code: 'internal', message } },
      changes: [],
      signals: new Set(),
      poison: false,
    };
  }

  /** What an earlier try of an expired command has done keeps its answer. */
  #expired({ envelope }: Queued, outcome: BatchOutcome): Reply {
    const answered = this.#options.handling.answered(envelope);
    if (answered !== null) return answered;
    outcome.expired++;
    const message = 'The hub was too busy to handle this command in time. Nothing was changed; try again.';
    return { ok: false, failure: { code: 'deadline_exceeded', message, retryAfter: 1 } };
  }

  #applied(handled: Handled): Handled {
    const { store } = this.#options;
    const changes = store.sealed(handled.changes);
    for (const change of changes) store.transactions.apply(change);
    return { ...handled, changes };
  }
}

/** A command that can not be handled, or whose changes the store refused: a defect. Its batch runs again without it. */
export class UnfitCommand extends Error {
  override readonly name = 'UnfitCommand';

  constructor(command: Queued, cause: unknown) {
    super(`Command ${command.envelope.commandId} spoils its batch.`, { cause });
  }
}
