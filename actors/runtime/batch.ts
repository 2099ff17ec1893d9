import type { ShardLog } from '../log/shard-log.ts';
import type { HostStore } from '../store/host-store.ts';
import type { Change, TableName } from '../store/tables.ts';
import type { CommandHandling, Handled } from './command-handling.ts';
import { isIoError } from './command-handling.ts';
import type { Reply } from './envelope.ts';
import type { Queued } from './mailbox.ts';
import type { Shard } from './shard.ts';

/** A shard's part of a batch. */
export interface Share {
  shard: Shard;
  commands: Queued[];
}

/** Tables whose changes somebody outside waits for. */
const signalling: ReadonlySet<TableName> = new Set([
  'feed',
  'outbox',
  'parked_metadata',
  'webhook_subscription',
  'webhook_delivery',
]);

/** What a committed batch did, for its replies, its signals and its log line. */
export interface BatchOutcome {
  replies: { command: Queued; reply: Reply }[];
  /** Shards in which something changed that dispatchers or followers of the feed wait for. */
  grew: number[];
  changes: number;
  poisoned: string[];
  expired: number;
}

/**
 * One batch of all shards: every command is handled and its changes applied inside one open transaction, so that the
 * next command of the batch reads them; then each shard's change record is appended to the log, and the commit makes
 * all of it durable. Whatever throws here leaves the file as it was before the batch.
 */
export class Batches {
  readonly #store: HostStore;
  readonly #log: ShardLog;
  readonly #handling: CommandHandling;
  /** Commands that made a batch fail, with the error: they go to the dead letters when the batch runs again. */
  readonly #unfit = new WeakMap<Queued, unknown>();

  constructor(store: HostStore, log: ShardLog, handling: CommandHandling) {
    this.#store = store;
    this.#log = log;
    this.#handling = handling;
  }

  /** @throws the store's or the log's error: nothing was committed, the shards' counters are as before */
  run(shares: Share[], now: number): BatchOutcome | Promise<BatchOutcome> {
    const outcome: BatchOutcome = { replies: [], grew: [], changes: 0, poisoned: [], expired: 0 };
    const shards = shares.map(({ shard }) => shard);
    const done = this.#transaction(shards, () => shares.map((share) => this.#handleShare(share, now, outcome)));
    return done instanceof Promise ? done.then(() => outcome) : outcome;
  }

  /**
   * Makes changes durable that no command asked for; `changes[i]` are those of `shards[i]`.
   * @throws as `run`
   */
  write(shards: Shard[], changes: Change[][]): void | Promise<void> {
    return this.#transaction(shards, () => {
      for (const change of changes.flat()) this.#store.transactions.apply(change);
      return changes;
    });
  }

  /** `apply` makes and applies each shard's changes. Only when all of them fit is anything appended to the log. */
  #transaction(shards: Shard[], apply: () => Change[][]): void | Promise<void> {
    const marks = shards.map((shard) => shard.counters.mark());
    const undo = (error: unknown): never => {
      this.#store.transactions.rollback();
      for (const [i, shard] of shards.entries()) shard.counters.reset(marks[i]!);
      throw error;
    };
    try {
      this.#store.transactions.begin();
      const changed = apply()
        .map((changes, i) => ({ changes, shard: shards[i]! }))
        .filter(({ changes }) => changes.length > 0)
        .map(({ changes, shard }) => shard.record(changes));
      for (const { row } of changed) this.#store.transactions.apply(row);
      const appends = changed
        .map(({ record }) => this.#log.append(record))
        .filter((append) => append instanceof Promise);
      const commit = (): void => {
        this.#store.transactions.commit();
        for (const { advance } of changed) advance();
      };
      if (appends.length === 0) return commit();
      return Promise.all(appends).then(commit).catch(undo);
    } catch (error) {
      return undo(error);
    }
  }

  #handleShare({ shard, commands }: Share, now: number, outcome: BatchOutcome): Change[] {
    const all: Change[] = [];
    let grew = false;
    for (const command of commands) {
      // What an earlier try of an expired command has done keeps its answer.
      if (command.envelope.deadline < now && this.#store.answered(command.envelope.commandId) === null) {
        outcome.expired++;
        const message = 'The hub was too busy to handle this command in time. Nothing was changed; try again.';
        outcome.replies.push({
          command,
          reply: { ok: false, failure: { code: 'deadline_exceeded', message, retryAfter: 1 } },
        });
        continue;
      }
      const handled = this.#applied(command, shard);
      for (const change of handled.changes) {
        all.push(change);
        if (signalling.has(change.table)) grew = true;
      }
      if (handled.poison) outcome.poisoned.push(command.envelope.commandId);
      outcome.replies.push({ command, reply: handled.reply });
    }
    if (grew) outcome.grew.push(shard.number);
    outcome.changes += all.length;
    return all;
  }

  #applied(command: Queued, shard: Shard): Handled {
    const unfit = this.#unfit.get(command);
    const handled = unfit
      ? this.#handling.unappliable(command.envelope, shard, unfit)
      : this.#handling.handle(command.envelope, shard);
    try {
      for (const change of handled.changes) this.#store.transactions.apply(change);
      return handled;
    } catch (error) {
      if (isIoError(error) || unfit) throw error;
      // Part of its changes may be in the transaction: only the whole batch can be undone, and run again without it.
      this.#unfit.set(command, error);
      throw new UnfitCommand(command, error);
    }
  }
}

/** A command whose changes the store refused: a defect. Run again, the same batch puts it into the dead letters. */
export class UnfitCommand extends Error {
  override readonly name = 'UnfitCommand';

  constructor(command: Queued, cause: unknown) {
    super(`The changes of command ${command.envelope.commandId} do not fit the store.`, { cause });
  }
}
