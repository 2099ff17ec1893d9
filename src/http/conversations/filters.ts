import type { ConversationFilter } from '#actors/conversation/reader.ts';
import { parseClauses } from './filters-grammar.ts';
import { toSql } from './filters-sql.ts';

/**
 * The `filters` of `conversations.list` as a condition in SQL: a subset of the Lucene query syntax with the fields
 * `id`, `channel_id`, `source`, `display_name`, `tag_ids`, `unread_count`, `created_at` and `metadata.<path>`.
 * Blank text is no condition. Everything the caller wrote becomes a parameter, JSON paths too.
 * @throws Failure `invalid_filter` with the position (from 1) of the first problem, for every text that is no filter
 */
export function parseFilters(text: string): ConversationFilter {
  const clause = parseClauses(text);
  return clause ? toSql(clause) : { where: '1', parameters: [] };
}
