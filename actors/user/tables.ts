import { Table } from '../store/table.ts';
import type { ActorRow } from '../store/tables.ts';

export interface UserRow extends ActorRow {
  /** `<provider>:<user id>`. */
  user_id: string;
  name: string | null;
  avatar_url: string | null;
  first_seen_at: number;
  /** That of the newest turn: a walk through the list finds earlier ones in the journal. */
  last_seen_at: number;
}

export const users = new Table<UserRow>('user', ['id']);
