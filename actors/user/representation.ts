import { isoTime, type UserJson } from '../representation.ts';
import type { UserRow } from './tables.ts';

/** A stored user as the API shows them. */
export function userJson(row: Readonly<UserRow>): UserJson {
  return {
    id: row.user_id,
    first_seen_at: isoTime(row.first_seen_at),
    last_seen_at: isoTime(row.last_seen_at),
    ...(row.name !== null && { name: row.name }),
    ...(row.avatar_url !== null && { avatar_url: row.avatar_url }),
  };
}
