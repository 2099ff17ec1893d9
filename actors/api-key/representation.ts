import { type ApiKeyJson, isoTime } from '../representation.ts';
import type { ApiKeyRow } from './tables.ts';

/** A stored key as the API shows it: without its text, which nobody knows, and without its hash. */
export function apiKeyJson(row: Readonly<ApiKeyRow>): ApiKeyJson {
  return {
    id: row.id,
    name: row.name,
    operations: JSON.parse(row.operations) as string[],
    ...(row.sources !== null && { sources: JSON.parse(row.sources) as string[] }),
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
    ...(row.last_used_at !== null && { last_used_at: isoTime(row.last_used_at) }),
    ...(row.revoked_at !== null && { revoked_at: isoTime(row.revoked_at) }),
  };
}
