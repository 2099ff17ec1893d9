import { Failure } from '../errors.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import { type IdempotencyKeyCommands, idempotencyKeyActor, type StoredAnswer } from './contract.ts';
import type { IdempotencyKeyRow } from './tables.ts';

type KeyRuntime = Runtime<IdempotencyKeyRow, null, null, null>;

/** How long a key keeps its answer, in ms. */
export const keyLifetime = 24 * 60 * 60 * 1000;

export const idempotencyKeyHandlers: Handlers<KeyRuntime, IdempotencyKeyCommands> = {
  'key.claim'(runtime, { bodyHash }) {
    const { row, now } = runtime;
    if (row.generation === 0 || now - row.claimed_at > keyLifetime) {
      const claimed = { body_hash: bodyHash, claimed_at: now, generation: runtime.turn };
      runtime.save({ ...claimed, answer: null, message: null });
      return { answer: null, generation: row.generation };
    }
    if (row.body_hash !== bodyHash) {
      throw new Failure('idempotency_conflict', 'This Idempotency-Key was used with another body within 24 hours.');
    }
    return { answer: answerIn(row), generation: row.generation };
  },

  'key.complete'(runtime, { generation, answer, message = null }) {
    const { row } = runtime;
    if (row.generation !== generation) return null;
    const first = answerIn(row);
    if (first === null) runtime.save({ answer: JSON.stringify(answer), message });
    return first;
  },

  'key.erase'(runtime, { from }) {
    if (from === undefined) runtime.save({ answer: JSON.stringify(erasedAnswer), message: null });
    // A repetition was answered by its turn.
    const next = runtime.eraseTurns({ event: ({ data }) => data, forgets: () => false }, from);
    if (next !== null) runtime.tell(idempotencyKeyActor(runtime.actor.id), 'key.erase', { from: next });
    return null;
  },
};

const answerIn = ({ answer }: Readonly<IdempotencyKeyRow>): StoredAnswer | null =>
  answer === null ? null : (JSON.parse(answer) as StoredAnswer);

const erased = new Failure('conversation_erased', 'This was done. What it was about has been erased since.');

/** In the place of an answer that showed what is erased. */
const erasedAnswer: StoredAnswer = {
  status: 409,
  body: JSON.stringify({ error: erased.message, code: erased.code }),
  headers: {},
};
