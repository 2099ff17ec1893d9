import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface SessionRow extends ActorRow {
  /** SHA-256 of the cookie's text; empty: it never began. */
  hash: string;
  /** The id of the user's actor. */
  user: string;
  started_at: number;
  expires_at: number;
  ended_at: number | null;
}

export const sessions = new Table<SessionRow>('user_session', ['id', 'user']);
