import type { Address } from '../runtime/kind.ts';

/** An answer as it went out, kept for 24 h. */
export interface StoredAnswer {
  status: number;
  /** JSON text, or null for an empty body. */
  body: string | null;
  headers: Record<string, string>;
}

/** The commands of an idempotency key: type → body and result. */
export type IdempotencyKeyCommands = {
  /**
   * Claims the key for a body. `answer` is the first answer once there is one; null means: do the work, with command ids
   * derived from the key and its generation, so that a second try is the same as the first, and a use after the key's
   * lifetime is not.
   * @throws Failure `idempotency_conflict` when the key was used with another body
   */
  'key.claim': { body: { bodyHash: string }; result: { answer: StoredAnswer | null; generation: number } };
  /**
   * Keeps the answer of a generation; the first one stays, and all others are told it; null: this one is it. `message`: id
   * of the one that it shows.
   */
  'key.complete': {
    body: { generation: number; answer: StoredAnswer; message?: string };
    result: StoredAnswer | null;
  };
  /** What its answer shows is erased: the request stays known, and a repetition is refused. */
  'key.erase': { body: { from?: number }; result: null };
};

/** The actor of a key, as somebody whom other actors tell something. */
export const idempotencyKeyActor = (id: string): Address<IdempotencyKeyCommands> => ({ kind: 'idempotency-key', id });
