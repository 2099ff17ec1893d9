import { defineKind } from '../runtime/kind.ts';
import { idempotencyKeyHandlers } from './commands.ts';
import type { IdempotencyKeyCommands } from './contract.ts';
import { idempotencyKeys } from './tables.ts';

/** One caller's `Idempotency-Key`, and the first answer it got. */
export const idempotencyKeyKind = defineKind<IdempotencyKeyCommands>()({
  name: 'idempotency-key',
  machine: null,
  table: idempotencyKeys,
  blank: { body_hash: '', answer: null, claimed_at: 0, generation: 0, message: null },
  reads: () => null,
  load: () => null,
  handlers: idempotencyKeyHandlers,
  transient: true,
  readers: {},
});
