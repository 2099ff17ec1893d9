import { hash } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { JsonText } from '#actors/json.ts';
import type { Page, PageKey, PageQuery } from '#actors/store/page.ts';

const defaultPageSize = 20;
const largestPageSize = 1_000;
const checksumLength = 8;

/** The request fields of every paginated operation. The cursor "" means the first page, as none does. */
export const pageFields = {
  cursor: z.string().optional().describe('Opaque; from pagination_data of an earlier answer.'),
  page_size: z.int().min(1).max(largestPageSize).optional().describe('1 to 1,000; 20 when absent.'),
};

/** The same where a whole list was answered once: a page is as large as it may be, unless less is asked for. */
export const largePageFields = {
  cursor: pageFields.cursor,
  page_size: pageFields.page_size.describe('1 to 1,000; 1,000 when absent.'),
};

export const pageSizeField = pageFields.page_size;

/** The size of a page that a request asks for. */
export const pageSize = (asked: number | undefined): number => asked ?? defaultPageSize;

/** A page as it goes out. */
export interface PageBody<T> {
  data: T[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

/** The response of a paginated operation. */
export const pageSchema = <T extends z.ZodType>(item: T) =>
  z
    .object({
      data: z.array(item),
      pagination_data: z.object({
        previous_cursor: z.string().nullable(),
        next_cursor: z.string().nullable(),
        total: z.int(),
      }),
    })
    .describe('One page of the list.');

const checksum = (text: string): string => hash('sha256', `parley page ${text}`).slice(0, checksumLength);

/** `list` names the list and its order: a cursor of another one is refused. */
function encode(list: string, key: PageKey | null, direction: 'after' | 'before'): string | null {
  if (key === null) return null;
  const text = `${list} ${direction} ${key.join(' ')}`;
  return Buffer.from(`${text}~${checksum(text)}`).toString('base64url');
}

/** The cursor of a list that only goes on; null at its end. */
export const nextCursor = (list: string, key: PageKey | null): string | null => encode(list, key, 'after');

/** @throws Failure `invalid_cursor` */
export function pageQuery(
  list: string,
  { cursor, page_size }: { cursor?: string | null | undefined; page_size?: number | undefined },
): PageQuery {
  const limit = pageSize(page_size);
  if (!cursor) return { limit, from: null };
  const [text = '', sum] = Buffer.from(cursor, 'base64url').toString('latin1').split('~');
  const [name, direction, ...key] = text.split(' ');
  const isOurs = sum === checksum(text) && name === list && (direction === 'after' || direction === 'before');
  if (!isOurs) throw new Failure('invalid_cursor', 'The cursor is not one that this operation has given.');
  return { limit, from: { key: key.map(Number), direction } };
}

/** `pageQuery` for `largePageFields`. @throws Failure `invalid_cursor` */
export const largePageQuery = (
  list: string,
  { cursor, page_size }: { cursor?: string | null | undefined; page_size?: number | undefined },
): PageQuery => pageQuery(list, { cursor, page_size: page_size ?? largestPageSize });

/** A page of the store as it goes out; `list` as for `pageQuery`. */
export function pageBody<T>(list: string, page: Page<T>): JsonText<PageBody<T>> {
  const data = page.items.map(({ text }) => text).join(',');
  const paginationData: PageBody<T>['pagination_data'] = {
    previous_cursor: encode(list, page.before, 'before'),
    next_cursor: encode(list, page.after, 'after'),
    total: page.total,
  };
  return new JsonText(`{"data":[${data}],"pagination_data":${JSON.stringify(paginationData)}}`);
}
