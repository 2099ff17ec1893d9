import { jsonText } from '../json.ts';
import type { ApiKeyJson } from '../representation.ts';
import type { Connection } from '../store/database.ts';
import { type Page, pageOf, type PageQuery } from '../store/page.ts';
import { uuidToBytes } from '../uuid.ts';
import { apiKeyJson } from './representation.ts';
import { apiKeys } from './tables.ts';

/** A key that opens something. */
export interface UsableApiKey {
  key: ApiKeyJson;
  /** SHA-256 of its text. */
  hash: string;
}

export interface ApiKeyReader {
  /** Null for unknown and revoked keys. */
  find(id: string): UsableApiKey | null;
  /** Newest first, revoked ones too; key `[created at, row key]`. */
  page(query: PageQuery): Page<ApiKeyJson>;
}

export function apiKeyReader(db: Connection): ApiKeyReader {
  const byId = apiKeys.query(db, "WHERE id = ? AND hash <> '' AND revoked_at IS NULL");
  const there = "hash <> '' AND";
  const older = apiKeys.query(
    db,
    `WHERE ${there} (created_at, key) < (?, ?) ORDER BY created_at DESC, key DESC LIMIT ?`,
  );
  const newer = apiKeys.query(db, `WHERE ${there} (created_at, key) > (?, ?) ORDER BY created_at, key LIMIT ?`);
  const count = db.prepare("SELECT count(*) FROM api_key WHERE hash <> ''").pluck();
  return {
    find(id) {
      const row = byId.get(uuidToBytes(id));
      return row === null ? null : { key: apiKeyJson(row), hash: row.hash };
    },
    page: (query) =>
      pageOf(
        query,
        (from, backwards, limit) => {
          const edge = backwards ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
          const [at = edge, key = edge] = from ?? [];
          return (backwards ? newer : older).iterate(at, key, limit);
        },
        (row) => [row.created_at, row.key],
        (row) => jsonText(apiKeyJson(row)),
        count.get() as number,
      ),
  };
}
