import type { Cancel, Clock, Logger } from '../ports.ts';
import type { WriteTransactions } from '../store/write-transaction.ts';
import { recoveryDelay } from './failing.ts';

export interface StoreHealthOptions {
  transactions: WriteTransactions;
  clock: Clock;
  logger: Logger;
  /** Commands are taken again: what waits may go on. */
  opened(): void;
}

/** The trouble that a store is in. */
interface StoreTrouble {
  reason: string;
  /** Milliseconds, as the clock's `elapsed`. */
  since: number;
  /** Batches that failed. */
  failures: number;
  /** Whether commands are refused. Not so on trial: a probe has reached the disk since the last batch failed. */
  refusing: boolean;
}

/**
 * Whether the store can be written. After a failure the host refuses commands until a probe of some size reaches the
 * disk; then it takes them on trial. It is well again when one of their batches reached the disk, or, where no command
 * comes, a second probe: a small write may fit where a batch does not.
 */
export class StoreHealth {
  readonly #options: StoreHealthOptions;
  #trouble: StoreTrouble | null = null;
  #cancel: Cancel = () => {};

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  /** Why no command is taken; null: they are taken. */
  get refusal(): string | null {
    return this.#trouble?.refusing ? this.#trouble.reason : null;
  }

  /** Null while the store is well. */
  get problem(): string | null {
    return this.#trouble === null ? null : `the store can not be written: ${this.#trouble.reason}`;
  }

  /** A commit did not reach the disk. */
  failed(reason: string): void {
    const { logger, clock } = this.#options;
    if (this.#trouble !== null) {
      this.#trouble.failures++;
      Object.assign(this.#trouble, { reason, refusing: true });
      return;
    }
    this.#trouble = { reason, since: clock.elapsed(), failures: 1, refusing: true };
    logger.error({ reason }, 'store.failed');
    this.#probeLater();
  }

  /** A batch has reached the disk. */
  committed(): void {
    if (this.#trouble !== null) this.#recovered(this.#trouble);
  }

  stop(): void {
    this.#cancel();
  }

  #probeLater(): void {
    this.#cancel = this.#options.clock.schedule(recoveryDelay, () => this.#probe());
  }

  #probe(): void {
    const trouble = this.#trouble;
    if (trouble === null) return;
    const wasOnTrial = !trouble.refusing;
    trouble.refusing = !this.#reachesDisk();
    if (wasOnTrial && !trouble.refusing) {
      this.#recovered(trouble);
      return;
    }
    this.#probeLater();
    if (!trouble.refusing) this.#options.opened();
  }

  #reachesDisk(): boolean {
    const { transactions } = this.#options;
    try {
      transactions.begin();
      transactions.probe();
      transactions.commit();
      return true;
    } catch {
      transactions.rollback();
      return false;
    }
  }

  #recovered({ reason, since, failures }: StoreTrouble): void {
    const { logger, clock } = this.#options;
    this.#cancel();
    this.#trouble = null;
    logger.info({ reason, failures, ms: Math.round(clock.elapsed() - since) }, 'store.recovered');
  }
}
