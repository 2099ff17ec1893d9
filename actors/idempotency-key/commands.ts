import { Failure } from '../errors.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import type { IdempotencyKeyCommands, StoredAnswer } from './contract.ts';
import type { IdempotencyKeyRow } from './tables.ts';

type KeyRuntime = Runtime<IdempotencyKeyRow, null, null, null>;

/** How long a key keeps its answer, in ms. */
export const keyLifetime = 24 * 60 * 60 * 1000;

export const idempotencyKeyHandlers: Handlers<KeyRuntime, IdempotencyKeyCommands> = {
  'key.claim'(runtime, { bodyHash }) {
    const { row, now } = runtime;
    if (row.generation === 0 || now - row.claimed_at > keyLifetime) {
      runtime.save({ body_hash: bodyHash, answer: null, claimed_at: now, generation: runtime.turn });
      return { answer: null, generation: row.generation };
    }
    if (row.body_hash !== bodyHash) {
      throw new Failure('idempotency_conflict', 'This Idempotency-Key was used with another body within 24 hours.');
    }
    const answer = row.answer === null ? null : (JSON.parse(row.answer) as StoredAnswer);
    return { answer, generation: row.generation };
  },

  'key.complete'(runtime, { generation, answer }) {
    const { row } = runtime;
    if (row.generation === generation && row.answer === null) runtime.save({ answer: JSON.stringify(answer) });
    return null;
  },
};
