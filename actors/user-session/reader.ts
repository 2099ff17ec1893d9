import { jsonText } from '../json.ts';
import { isoTime, type SessionJson, type UserJson } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { userJson } from '../user/representation.ts';
import { users } from '../user/tables.ts';
import { uuidToBytes } from '../uuid.ts';
import { type SessionRow, sessions } from './tables.ts';

/** A session that was not ended. It may have expired. */
export interface OpenSession {
  id: string;
  /** SHA-256 of the cookie's text. */
  hash: string;
  user: UserJson;
  /** Epoch ms. */
  expiresAt: number;
}

export interface SessionReader {
  /** Null for unknown sessions, and for those that were ended. */
  find(id: string): OpenSession | null;
  /** Those that are not over at `now`, newest first; key `[started at, row key]`. */
  page(query: PageQuery, now: number): Page<SessionJson>;
}

export function sessionReader(db: Connection): SessionReader {
  const byId = sessions.query(db, 'WHERE id = ? AND ended_at IS NULL');
  const userById = users.query(db, 'WHERE id = ?');
  const open = 'ended_at IS NULL AND expires_at > @now';
  const older = sessions.query(
    db,
    `WHERE ${open} AND (started_at, key) < (@at, @key) ORDER BY started_at DESC, key DESC LIMIT @limit`,
  );
  const newer = sessions.query(
    db,
    `WHERE ${open} AND (started_at, key) > (@at, @key) ORDER BY started_at, key LIMIT @limit`,
  );
  const count = db.prepare(`SELECT count(*) FROM user_session WHERE ${open}`).pluck();
  /** Nobody begins a session before they are stored. */
  const userOf = (row: SessionRow): UserJson => userJson(userById.get(uuidToBytes(row.user))!);
  const json = (row: SessionRow): SessionJson => ({
    ...{ id: row.id, user_id: userOf(row).id },
    ...{ started_at: isoTime(row.started_at), expires_at: isoTime(row.expires_at) },
  });
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : { id, hash: row.hash, user: userOf(row), expiresAt: row.expires_at };
    },
    page: (query, now) =>
      pageOf(
        query,
        (from, backwards, limit) => {
          const edge = backwards ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [at = edge, key = edge] = from ?? [];
          return (backwards ? newer : older).iterate({ now, at, key, limit });
        },
        (row) => [row.started_at, row.key],
        (row) => jsonText(json(row)),
        count.get({ now }) as number,
      ),
  };
}
