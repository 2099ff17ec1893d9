import type { Cancel, Clock } from '../ports.ts';
import { type Batches, type BatchOutcome, type Share, UnfitCommand } from './batch.ts';
import type { Queued } from './mailbox.ts';
import type { Shard } from './shard.ts';

export interface CommitLoopOptions {
  batches: Batches;
  clock: Clock;
  /** After the durable point. `started`: epoch ms at which the batch was begun. */
  committed(outcome: BatchOutcome, started: number): void;
  /** Nothing of the batch was committed; its commands have no answer. */
  failed(error: unknown, commands: Queued[]): void;
  /** No memory of a batch that was undone may stay. */
  undone(): void;
}

/** Bounds of one batch. No artificial wait: a batch is whatever is queued. */
const batchLimits = { commands: 256, bytes: 512 * 1024 } as const;

/**
 * Takes what is queued for its shards and commits it, one batch at a time: all shards of a node with a local log, one
 * shard where the log is replicated, so that a record on its way holds up nobody else.
 */
export class CommitLoop {
  readonly #options: CommitLoopOptions;
  readonly #shards = new Map<number, Shard>();
  /** Work between two batches. */
  readonly #chores: (() => void | Promise<void>)[] = [];
  #cancel: Cancel | null = null;
  #running = false;
  #idleWaiters: (() => void)[] = [];

  constructor(options: CommitLoopOptions) {
    this.#options = options;
  }

  add(shard: Shard): void {
    this.#shards.set(shard.number, shard);
  }

  /** What is queued for the shard stays with it. */
  remove(shard: Shard): void {
    this.#shards.delete(shard.number);
  }

  /** Something is queued. */
  schedule(): void {
    if (this.#cancel !== null || this.#running) return;
    this.#cancel = this.#options.clock.soon(() => {
      this.#cancel = null;
      void this.#drain();
    });
  }

  /** Runs something between two batches. It must not throw. */
  between(chore: () => void | Promise<void>): void {
    this.#chores.push(chore);
    this.schedule();
  }

  /** Resolves when no command is queued or in a batch. */
  idle(): Promise<void> {
    if (!this.#running && this.#cancel === null && this.queued === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Commands that wait. */
  get queued(): number {
    let queued = 0;
    for (const shard of this.#shards.values()) queued += shard.mailbox.length;
    return queued;
  }

  async #drain(): Promise<void> {
    this.#running = true;
    try {
      const shares = this.#takeShares();
      if (shares.length > 0) {
        const done = this.#run(shares);
        if (done instanceof Promise) await done;
      }
      for (const chore of this.#chores.splice(0)) {
        const done = chore();
        if (done instanceof Promise) await done;
      }
    } finally {
      this.#running = false;
      if (this.queued > 0 || this.#chores.length > 0) this.schedule();
      else for (const resolve of this.#idleWaiters.splice(0)) resolve();
    }
  }

  #takeShares(): Share[] {
    const shares: Share[] = [];
    const waiting = [...this.#shards.values()].filter(({ mailbox }) => mailbox.length > 0);
    let left: number = batchLimits.commands;
    for (const [i, shard] of waiting.entries()) {
      const even = Math.ceil(left / (waiting.length - i));
      const commands = shard.mailbox.take(even, batchLimits.bytes / waiting.length, this.#options.clock.elapsed());
      if (commands.length > 0) shares.push({ shard, commands });
      left -= commands.length;
    }
    return shares;
  }

  #run(shares: Share[]): void | Promise<void> {
    const { batches, clock } = this.#options;
    const started = clock.now();
    const committed = (done: BatchOutcome): void => {
      for (const { shard, commands } of done.left) shard.mailbox.putBack(commands);
      this.#options.committed(done, started);
    };
    let outcome: BatchOutcome | Promise<BatchOutcome>;
    try {
      outcome = batches.run(shares, started);
    } catch (error) {
      return this.#failed(shares, error);
    }
    if (!(outcome instanceof Promise)) return committed(outcome);
    return outcome.then(committed, (error) => this.#failed(shares, error));
  }

  #failed(shares: Share[], error: unknown): void | Promise<void> {
    this.#options.undone();
    // One command of the batch is to blame and now known: the others must not suffer.
    if (error instanceof UnfitCommand) return this.#run(shares);
    this.#options.failed(
      error,
      shares.flatMap(({ commands }) => commands),
    );
  }
}
