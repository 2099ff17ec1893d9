import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface ApiKeyRow extends ActorRow {
  name: string;
  /** SHA-256 of the key's text; empty: it was never created. */
  hash: string;
  /** JSON list of patterns. */
  operations: string;
  /** JSON list of source ids; null: bound to none. */
  sources: string | null;
  /** The sender's id of whoever made it. */
  created_by: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export const apiKeys = new Table<ApiKeyRow>('api_key', ['id']);
