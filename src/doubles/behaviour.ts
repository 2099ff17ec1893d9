import { z } from 'zod';
import type { ApiAnswer } from './wire.ts';

const share = z.number().min(0).max(1);

/** How a double strays from the best case. Shares are of the messages that the hub sends. */
export const behaviourSchema = z.strictObject({
  /** Every webhook comes twice. */
  duplicates: z.boolean(),
  /** Webhooks come in another order than things happened. */
  reorder: z.boolean(),
  /** How long the first report of a message takes, and each after it: ms. */
  lateReceipts: z.number().int().min(0).max(3_600_000),
  /** Are refused. */
  fail: share,
  /** Are never answered. */
  hang: share,
  /** What is more than so many a second is throttled; null: nothing is. */
  throttle: z.number().positive().nullable(),
  /** What the next messages are answered with, one after the other, in the place of all else. */
  answers: z
    .array(
      z.strictObject({
        status: z.number().int().min(200).max(599),
        body: z.json(),
        headers: z.record(z.string(), z.string()).default({}),
      }),
    )
    .max(1_000),
});

export type Behaviour = z.output<typeof behaviourSchema>;

export const bestBehaviour: Behaviour = {
  ...{ duplicates: false, reorder: false, lateReceipts: 0 },
  ...{ fail: 0, hang: 0, throttle: null, answers: [] },
};

/** What becomes of a message that the hub sends. */
export type Treatment = { kind: 'taken' | 'refused' | 'throttled' | 'hung' } | { kind: 'answered'; answer: ApiAnswer };

/** Decides what becomes of each message. It has no chance: of a share of 0.25 it is every fourth. */
export class Treatments {
  readonly #behaviour: () => Behaviour;
  readonly #now: () => number;
  readonly #due = { fail: 0, hang: 0 };
  #bucket: TokenBucket | null = null;
  #perSecond: number | null = null;

  constructor(behaviour: () => Behaviour, now: () => number) {
    this.#behaviour = behaviour;
    this.#now = now;
  }

  next(): Treatment {
    const behaviour = this.#behaviour();
    const answer = behaviour.answers.shift();
    if (answer) return { kind: 'answered', answer: { ...answer, ...written(answer.body) } };
    if (!this.#isLetThrough(behaviour.throttle)) return { kind: 'throttled' };
    if (this.#isDue('hang', behaviour.hang)) return { kind: 'hung' };
    if (this.#isDue('fail', behaviour.fail)) return { kind: 'refused' };
    return { kind: 'taken' };
  }

  #isDue(what: 'fail' | 'hang', share: number): boolean {
    this.#due[what] += share;
    // Tenths add up to a hair less than a whole.
    if (this.#due[what] < 1 - 1e-9) return false;
    this.#due[what] -= 1;
    return true;
  }

  #isLetThrough(perSecond: number | null): boolean {
    if (perSecond !== this.#perSecond) {
      this.#perSecond = perSecond;
      this.#bucket = perSecond === null ? null : new TokenBucket(perSecond, Math.max(1, perSecond), this.#now);
    }
    return this.#bucket?.take() ?? true;
  }
}

const written = (body: unknown): { body: string } => ({
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** How often something may happen: `burst` times at once, and again as it fills. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  #level: number;
  #filledAt: number;

  /** @param now epoch ms */
  constructor(perSecond: number, burst: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#now = now;
    this.#level = burst;
    this.#filledAt = now();
  }

  /** Whether it may happen once more now. */
  take(): boolean {
    const now = this.#now();
    this.#level = Math.min(this.#burst, this.#level + ((now - this.#filledAt) / 1_000) * this.#perSecond);
    this.#filledAt = now;
    if (this.#level < 1) return false;
    this.#level -= 1;
    return true;
  }
}
