import type { JsonText } from '../json.ts';

/** A place in an ordered list: the values of the order's columns of one item. */
export type PageKey = readonly number[];

export interface PageQuery {
  /** Items at most. */
  limit: number;
  /** Null: the first page. `after` goes on behind the key, `before` ends in front of it. */
  from: { key: PageKey; direction: 'after' | 'before' } | null;
  /** Bytes of its items; absent: those of a whole page. */
  bytes?: number;
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
export type FetchRows<R> = (key: PageKey | null, backwards: boolean, limit: number) => Iterable<R>;

/** Bytes of a page's items: it is shortened to them, but for a single item that is larger. */
export const mostPageBytes = 1024 * 1024;

/**
 * One page of an ordered list by keyset: stable under inserts, because a key names a place and not a count.
 * `keyOf` gives a row's place. Rows that are beyond the page are not read.
 */
export function pageOf<R, T>(
  query: PageQuery,
  fetch: FetchRows<R>,
  keyOf: (row: R) => PageKey,
  toItem: (row: R) => JsonText<T>,
  total: number,
): Page<T> {
  const backwards = query.from?.direction === 'before';
  const rows = fetch(query.from?.key ?? null, backwards, query.limit + 1);
  const { taken, more } = take(rows, query, keyOf, toItem);
  if (backwards) taken.reverse();
  const first = taken[0]?.key;
  const last = taken.at(-1)?.key;
  const isStart = query.from === null;
  const somethingBefore = backwards ? more : !isStart && first !== undefined && hasRows(fetch(first, true, 1));
  const somethingAfter = backwards ? last !== undefined && hasRows(fetch(last, false, 1)) : more;
  return {
    items: taken.map(({ item }) => item),
    before: first !== undefined && somethingBefore ? first : null,
    after: last !== undefined && somethingAfter ? last : null,
    total,
  };
}

interface Taken<T> {
  key: PageKey;
  item: JsonText<T>;
}

/** As many rows as a page holds; `more`: they are not all. */
function take<R, T>(
  rows: Iterable<R>,
  { limit, bytes: most = mostPageBytes }: PageQuery,
  keyOf: (row: R) => PageKey,
  toItem: (row: R) => JsonText<T>,
): { taken: Taken<T>[]; more: boolean } {
  const taken: Taken<T>[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (taken.length === limit) return { taken, more: true };
    const item = toItem(row);
    bytes += Buffer.byteLength(item.text);
    if (taken.length > 0 && bytes > most) return { taken, more: true };
    taken.push({ key: keyOf(row), item });
  }
  return { taken, more: false };
}

function hasRows(rows: Iterable<unknown>): boolean {
  for (const _ of rows) return true;
  return false;
}
