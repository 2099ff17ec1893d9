import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface IdempotencyKeyRow extends ActorRow {
  body_hash: string;
  /** JSON of the stored answer, which may show a secret to its caller; null while the work is under way. */
  answer: string | null;
  claimed_at: number;
  /** Names the claim, and no other one ever: after its lifetime a key is new, and so is all that follows from it. */
  generation: number;
  /** Id of the message that the answer shows; null: it shows none. */
  message: string | null;
}

export const idempotencyKeys = new Table<IdempotencyKeyRow>('idempotency_key', ['id', 'message'], ['answer']);
