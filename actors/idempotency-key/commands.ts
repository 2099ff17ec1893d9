import { type CommandHandler, defineActor } from '../runtime/definition.ts';
import { Failure } from '../errors.ts';
import type { Rows } from '../store/tables.ts';
import type { IdempotencyKeyCommands, StoredAnswer } from './contract.ts';

interface KeyMemory {
  row: Rows['idempotency_key'] | null;
}

type Handlers = {
  [T in keyof IdempotencyKeyCommands]: CommandHandler<
    KeyMemory,
    IdempotencyKeyCommands[T]['body'],
    IdempotencyKeyCommands[T]['result']
  >;
};

/** How long a key keeps its answer, in ms (decisions.md §1). */
export const keyLifetime = 24 * 60 * 60 * 1000;

const handlers: Handlers = {
  'key.claim'(runtime, { bodyHash }) {
    const { row } = runtime.memory;
    if (row === null) {
      const claimed = { key: runtime.actor.key, body_hash: bodyHash, answer: null, at: runtime.now };
      runtime.change({ table: 'idempotency_key', op: 'insert', row: claimed });
      runtime.memory.row = { ...claimed };
      return { answer: null };
    }
    if (runtime.now - row.at > keyLifetime) {
      const columns = { body_hash: bodyHash, answer: null, at: runtime.now };
      runtime.change({ table: 'idempotency_key', op: 'update', key: row.key, row: columns });
      Object.assign(row, columns);
      return { answer: null };
    }
    if (row.body_hash !== bodyHash) {
      throw new Failure('idempotency_conflict', 'This Idempotency-Key was used with another body within 24 hours.');
    }
    return { answer: row.answer === null ? null : (JSON.parse(row.answer) as StoredAnswer) };
  },

  'key.complete'(runtime, { answer }) {
    const { row } = runtime.memory;
    if (row === null || row.answer !== null) return null;
    row.answer = JSON.stringify(answer);
    runtime.change({ table: 'idempotency_key', op: 'update', key: row.key, row: { answer: row.answer } });
    return null;
  },
};

/** One caller's `Idempotency-Key`, and the first answer it got. */
export const idempotencyKeyDefinition = defineActor<KeyMemory>({
  kind: 'idempotency-key',
  machine: null,
  load: (reads, key) => ({ row: reads.idempotencyKey(key) }),
  handlers,
});
