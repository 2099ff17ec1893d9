import type { JsonText } from '../json.ts';

/** A place in an ordered list: the values of the order's columns of one item. */
export type PageKey = readonly number[];

export interface PageQuery {
  /** Items at most. */
  limit: number;
  /** Null: the first page. `after` goes on behind the key, `before` ends in front of it. */
  from: { key: PageKey; direction: 'after' | 'before' } | null;
}

export interface Page<T> {
  items: JsonText<T>[];
  /** Key of the first item when something stands before it, else null. */
  before: PageKey | null;
  /** Key of the last item when something follows it, else null. */
  after: PageKey | null;
  /** Items in the whole (filtered) list. */
  total: number;
}

/** How a page is fetched: rows strictly behind `key` (or from the start), in the list's order or against it. */
export type FetchRows<R> = (key: PageKey | null, backwards: boolean, limit: number) => R[];

/**
 * One page of an ordered list by keyset: stable under inserts, because a key names a place and not a count.
 * `keyOf` gives a row's place.
 */
export function pageOf<R, T>(
  query: PageQuery,
  fetch: FetchRows<R>,
  keyOf: (row: R) => PageKey,
  toItem: (row: R) => JsonText<T>,
  total: number,
): Page<T> {
  const backwards = query.from?.direction === 'before';
  const fetched = fetch(query.from?.key ?? null, backwards, query.limit + 1);
  const more = fetched.length > query.limit;
  const rows = fetched.slice(0, query.limit);
  if (backwards) rows.reverse();
  const first = rows[0];
  const last = rows.at(-1);
  const isStart = query.from === null;
  const somethingBefore = backwards ? more : !isStart && first !== undefined && fetch(keyOf(first), true, 1).length > 0;
  const somethingAfter = backwards ? last !== undefined && fetch(keyOf(last), false, 1).length > 0 : more;
  return {
    items: rows.map(toItem),
    before: first !== undefined && somethingBefore ? keyOf(first) : null,
    after: last !== undefined && somethingAfter ? keyOf(last) : null,
    total,
  };
}
