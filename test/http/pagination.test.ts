import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonText } from '#actors/json.ts';
import type { Page } from '#actors/store/page.ts';
import { pageBody, pageFields, pageQuery } from '#src/http/pagination.ts';
import { codeOf } from '../_support/failures.ts';

const middle: Page<string> = {
  items: [jsonText('a'), jsonText('b')],
  before: [1_700_000_000_000, 3],
  after: [1_700_000_000_001, 4],
  total: 9,
};

interface Body {
  data: string[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

const bodyOf = (list: string, page: Page<string>): Body => JSON.parse(pageBody(list, page).text) as Body;
const cursors = (list: string) => bodyOf(list, middle).pagination_data;
const fields = z.object(pageFields);

describe('pagination', () => {
  it('starts at the first page without a cursor', () => {
    for (const cursor of [undefined, null, '']) expect(pageQuery('l', { cursor })).toEqual({ limit: 20, from: null });
  });

  it('goes on where a cursor points', () => {
    const { next_cursor, previous_cursor } = cursors('l');
    expect(pageQuery('l', { cursor: next_cursor, page_size: 5 })).toEqual({
      limit: 5,
      from: { key: middle.after, direction: 'after' },
    });
    expect(pageQuery('l', { cursor: previous_cursor }).from).toEqual({ key: middle.before, direction: 'before' });
  });

  it('has null cursors at both ends', () => {
    const ends = bodyOf('l', { items: [], before: null, after: null, total: 0 });
    expect(ends).toEqual({ data: [], pagination_data: { previous_cursor: null, next_cursor: null, total: 0 } });
  });

  it('refuses a cursor of another list', async () => {
    const cursor = cursors('l').next_cursor;
    expect(await codeOf(() => pageQuery('l desc', { cursor }))).toBe('invalid_cursor');
  });

  it('refuses every cursor with one changed byte', async () => {
    const bytes = Buffer.from(cursors('l').next_cursor!, 'base64url');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      const cursor = changed.toString('base64url');
      expect(await codeOf(() => pageQuery('l', { cursor })), `byte ${index}`).toBe('invalid_cursor');
    }
  });

  it('refuses text that is no cursor', async () => {
    for (const cursor of ['x', '~', 'ü', '0', 'null', 'A'.repeat(512)]) {
      expect(await codeOf(() => pageQuery('l', { cursor })), cursor).toBe('invalid_cursor');
    }
  });

  it('takes sizes from 1 to 1,000', () => {
    for (const page_size of [1, 1_000, undefined]) expect(fields.safeParse({ page_size }).success).toBe(true);
    for (const page_size of [0, -1, 1.5, 1_001, '20', NaN]) expect(fields.safeParse({ page_size }).success).toBe(false);
  });
});
