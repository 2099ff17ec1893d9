import { Failure } from '#actors/errors.ts';
import type { Clock } from '#actors/ports.ts';
import type { Problems } from '#actors/problems.ts';
import { isIoError } from '#actors/store/io-error.ts';

export interface ReadHealthOptions {
  clock: Pick<Clock, 'elapsed'>;
  problems: Problems;
  /** Reads what stands at the store's end. */
  look(): void;
}

/** Name of the part in health and log. */
const part = 'reader';
/** So long, in ms, nothing must have failed: what is read now need not be what could not be read. */
const quietFor = 5_000;

/** Whether the store can be read, as everyone who reads it finds: a page of it may be broken, or the disk. */
export class ReadHealth {
  readonly #options: ReadHealthOptions;
  #failedAt = 0;

  constructor(options: ReadHealthOptions) {
    this.#options = options;
  }

  /** Something could not be read. @returns what its caller is told; null: the store is not to blame */
  failed(error: unknown): Failure | null {
    if (!isIoError(error)) return null;
    const { clock, problems } = this.#options;
    this.#failedAt = clock.elapsed();
    problems.began(part, `the store can not be read: ${(error as Error).message}`);
    const message = 'The hub can not read what it needs. Try again with the same Idempotency-Key.';
    return new Failure('unavailable', message, { retryAfter: 1 });
  }

  /** Looks by itself, for times in which nobody reads. Called now and then. */
  look(): void {
    const { clock, problems, look } = this.#options;
    try {
      look();
      if (clock.elapsed() - this.#failedAt >= quietFor) problems.ended(part);
    } catch (error) {
      if (this.failed(error) === null) throw error;
    }
  }
}
