import type { Cancel, Clock, Logger } from '../ports.ts';
import { reasonOf } from './failing.ts';
import type { Envelope } from './envelope.ts';
import type { Owned, Ownership } from './ownership.ts';
import type { Batches } from './batch.ts';
import type { PruningRound, Retention } from './retention.ts';

export interface PruningOptions {
  retention: Retention;
  batches: Batches;
  ownership: Ownership;
  clock: Clock;
  logger: Logger;
  /** Whether the store can be written now. */
  healthy(): boolean;
  /** A round has been committed. */
  committed(): void;
  deliver(envelope: Envelope): void;
  /** A round of the shard was not committed. @returns whether the store or the log was the reason */
  failed(shard: number, error: unknown): boolean;
}

/** Wait between two rounds, in ms: when no shard had anything more, and when one had. */
const delays = { idle: 10_000, full: 20 } as const;

/** Lets retention work: a small round for each shard, between two batches, so that no command waits longer than that. */
export class Pruning {
  readonly #options: PruningOptions;
  #cancel: Cancel = () => {};
  #stopped = false;

  constructor(options: PruningOptions) {
    this.#options = options;
  }

  start(): void {
    this.#next(delays.idle);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #next(delay: number): void {
    if (!this.#stopped) this.#cancel = this.#options.clock.schedule(delay, () => this.#rounds());
  }

  #rounds(): void {
    const owned = this.#options.ownership.all();
    let left = owned.length;
    let soon = false;
    if (left === 0) this.#next(delays.idle);
    const ended = (more: boolean): void => {
      soon ||= more;
      if (--left === 0) this.#next(soon ? delays.full : delays.idle);
    };
    for (const each of owned) each.loop.between(async () => ended(await this.#round(each)));
  }

  /** @returns whether there is more to prune */
  async #round({ shard }: Owned): Promise<boolean> {
    const { retention, batches, ownership, healthy, committed, deliver, failed, logger } = this.#options;
    let round: PruningRound = { changes: [], commands: [], more: false };
    try {
      // A batch before it may have found that the shard has another owner.
      const isOwned = ownership.of(shard.number)?.shard === shard;
      if (!healthy() || this.#stopped || !isOwned) return false;
      await batches.write(shard, () => {
        round = retention.round(shard);
        return round.changes;
      });
      if (round.changes.length > 0) committed();
      for (const envelope of round.commands) deliver(envelope);
    } catch (error) {
      // A defect of pruning is no reason to refuse commands.
      const known = failed(shard.number, error);
      if (!known) logger.error({ shard: shard.number, reason: reasonOf(error) }, 'retention.failed');
    }
    return round.more;
  }
}
