import type { IncomingMessage } from 'node:http';
import { Failure } from '#actors/errors.ts';

/** Bytes of the body of an operation at most. */
export const bodyLimit = 1024 * 1024;
/** Bytes of all bodies that are being read or worked on. */
const defaultBudget = 32 * 1024 * 1024;
/** What a part of a body takes besides its bytes: bodies that drip cost what they hold. */
const bytesPerPart = 256;
/** From the end of the head to the end of the body, in ms. */
const defaultPatience = 30_000;
const retryAfterSeconds = 1;

/** A whole body; disposing of it says that its work is done. */
export interface Body extends Disposable {
  bytes: Buffer;
}

/** A body that is not complete yet, or complete and not done with. */
interface Held {
  /** Whose it is; null: nobody has been asked yet. */
  caller: string | null;
  /** Bytes of the budget. */
  charged: number;
  fail(failure: Failure): void;
}

/**
 * The bodies of all requests, within one budget of bytes. When it is spent, the body that has been coming in for the
 * longest gives way: who stalls never keeps out who sends. A caller may have as much of it as it leaves free, half when it
 * is alone, so that what waits for its turn never keeps out another one, however many callers there are.
 */
export class Bodies {
  readonly #budget: number;
  readonly #patience: number;
  #held = 0;
  readonly #heldOf = new Map<string, number>();
  /** Those that are not complete, oldest first. */
  readonly #growing = new Set<Held>();

  constructor(budget = defaultBudget, patience = defaultPatience) {
    this.#budget = budget;
    this.#patience = patience;
  }

  /** What bodies take of the budget now. */
  get held(): number {
    return this.#held;
  }

  /** Reads a whole body. @throws Failure `body_too_large`, also before the end has come; `overloaded`; `invalid_request` */
  read(request: IncomingMessage, limit = bodyLimit, caller: string | null = null): Promise<Body> {
    if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
    // It says nothing any more: not its end either.
    if (request.destroyed) return Promise.reject(incomplete());
    return new Promise((resolve, reject) => {
      let parts: Buffer[] = [];
      let size = 0;
      const take = (part: Buffer): void => {
        size += part.length;
        if (size > limit) held.fail(tooLarge(limit));
        else {
          parts.push(part);
          this.#charge(held, part.length + bytesPerPart);
        }
      };
      const held: Held = {
        caller,
        charged: 0,
        fail: (failure) => {
          // What still comes passes unread.
          request.off('data', take);
          parts = [];
          this.#release(held);
          reject(failure);
        },
      };
      this.#growing.add(held);
      const late = setTimeout(() => held.fail(tooSlow()), this.#patience);
      request.on('close', () => clearTimeout(late));
      request.on('data', take);
      request.on('end', () => {
        clearTimeout(late);
        this.#growing.delete(held);
        const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
        resolve({ bytes, [Symbol.dispose]: () => this.#release(held) });
      });
      request.on('error', () => held.fail(incomplete()));
      request.on('close', () => {
        if (!request.complete) held.fail(incomplete());
      });
    });
  }

  #charge(held: Held, bytes: number): void {
    this.#count(held, bytes);
    for (const oldest of this.#growing) {
      const isSpent = this.#held > this.#budget;
      if (!isSpent && !this.#hasMoreThanItLeaves(held.caller)) return;
      if (isSpent || oldest.caller === held.caller) oldest.fail(overloaded());
    }
  }

  #hasMoreThanItLeaves(caller: string | null): boolean {
    return caller !== null && (this.#heldOf.get(caller) ?? 0) > this.#budget - this.#held;
  }

  #release(held: Held): void {
    this.#growing.delete(held);
    this.#count(held, -held.charged);
  }

  #count(held: Held, bytes: number): void {
    held.charged += bytes;
    this.#held += bytes;
    if (held.caller === null) return;
    const ofCaller = (this.#heldOf.get(held.caller) ?? 0) + bytes;
    if (ofCaller === 0) this.#heldOf.delete(held.caller);
    else this.#heldOf.set(held.caller, ofCaller);
  }
}

const overloaded = (): Failure =>
  new Failure('overloaded', 'Too many bodies are under way.', { retryAfter: retryAfterSeconds });

const tooLarge = (limit: number): Failure =>
  new Failure('body_too_large', `The body is larger than ${limit} bytes. Send less at once.`);

const tooSlow = (): Failure => new Failure('invalid_request', 'The body took too long to come in. Send it at once.');

export const incomplete = (): Failure =>
  new Failure('invalid_request', 'The connection closed before the body was complete.');
