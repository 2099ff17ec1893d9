import type { Clock } from '#actors/ports.ts';

/** As many as may be had at once, and how fast they come again. */
export interface Rate {
  perSecond: number;
  burst: number;
}

interface Bucket {
  tokens: number;
  /** When they were counted, by a clock that nobody sets, in ms. */
  at: number;
}

/** Names that have taken something lately, at most; the one that was new first is forgotten. */
const remembered = 100_000;

/** How often something is done, by name: a bucket of tokens for each, in memory. */
export class TokenBuckets {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Takes a token of each name, or none of any. @returns null, else after how many ms to ask again */
  take(wanted: readonly (readonly [name: string, rate: Rate])[]): number | null {
    const now = this.#clock.elapsed();
    const full = wanted.map(([name, rate]) => ({ name, rate, tokens: this.#tokens(name, rate, now) }));
    const waits = full.map(({ rate, tokens }) =>
      tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1_000) / rate.perSecond),
    );
    const wait = Math.max(0, ...waits);
    if (wait > 0) return wait;
    for (const { name, tokens } of full) this.#keep(name, { tokens: tokens - 1, at: now });
    return null;
  }

  #tokens(name: string, { perSecond, burst }: Rate, now: number): number {
    const { tokens, at } = this.#buckets.get(name) ?? { tokens: burst, at: now };
    return Math.min(burst, tokens + ((now - at) * perSecond) / 1_000);
  }

  #keep(name: string, bucket: Bucket): void {
    if (!this.#buckets.has(name) && this.#buckets.size >= remembered) {
      this.#buckets.delete(this.#buckets.keys().next().value!);
    }
    this.#buckets.set(name, bucket);
  }
}
