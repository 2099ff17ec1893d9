import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { found, problemOf } from './filters-data.ts';

const safeWord = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'));
const quoted = safeWord.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`);
const escaped = safeWord.map((text) => text.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
const key = safeWord.map((text) => Array.from(text, (symbol) => `\\${symbol}`.slice(0, 2)).join(''));
const wildcarded = fc
  .array(fc.oneof(escaped, fc.constant('*')), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(''));
const text = fc.oneof(quoted, escaped, wildcarded);
const number = fc.integer().map(String);
const instant = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((date) => date.toISOString());
const rangeOf = (end: fc.Arbitrary<string>) => {
  const side = fc.oneof(end, fc.constant('*'));
  const [open, close] = [fc.constantFrom('[', '{'), fc.constantFrom(']', '}')];
  return fc.tuple(open, side, side, close).map(([first, from, to, last]) => `${first}${from} TO ${to}${last}`);
};
const metadataField = fc.array(key, { minLength: 1, maxLength: 4 }).map((keys) => `metadata.x${keys.join('.')}`);
const named = fc
  .oneof(
    fc.tuple(fc.constantFrom('id', 'channel_id', 'source', 'display_name', 'tag_ids', 'metadata.state'), text),
    fc.tuple(fc.constantFrom('unread_count', 'metadata.unread_count'), fc.oneof(number, rangeOf(number))),
    fc.tuple(fc.constant('created_at'), fc.oneof(number, instant, rangeOf(instant))),
    fc.tuple(metadataField, fc.oneof(text, rangeOf(number), rangeOf(quoted))),
  )
  .map(([field, value]) => `${field}:${value}`);
const words = fc
  .oneof(
    quoted,
    escaped,
    escaped.map((word) => `${word}*`),
  )
  .map((value) => `text:${value}`);
const leaf = fc.oneof({ arbitrary: named, weight: 4 }, words, text, fc.constant('*:*'));
const { filter: validFilter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('filter'), fc.constantFrom(' AND ', ' OR ', ' ', ' && ', ' || '), tie('filter'))
      .map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom('NOT ', '-', '!', '+'), tie('filter')).map(([sign, inner]) => `${sign}(${inner})`),
  ),
}));
/** Pieces of the grammar in any order. */
const soup = fc
  .array(
    fc.constantFrom(
      ...'source metadata. a .b : : ( ) [ ] { } " \\ * TO AND OR NOT && || + - ! ~ ^ / < 5 id unread_count tag_ids text: NEAR \' ; -- % _ ? \ud800 é'.split(
        ' ',
      ),
      ' ',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('filters, generated', { timeout: 20_000 }, () => {
  it('fails in no other way than invalid_filter', () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), soup);
    const check = (filter: string) => {
      if (problemOf(filter) === 'none') found(filter);
      else expect(problemOf(filter)).toMatch(/ at position \d+$/);
    };
    fc.assert(fc.property(anything, check), { numRuns: 3000 });
  });

  it('runs every valid filter', () => {
    fc.assert(
      fc.property(validFilter, (filter) => {
        expect(problemOf(filter)).toBe('none');
        found(filter);
      }),
      { numRuns: 1000 },
    );
  });

  it('NOT leaves exactly the other conversations', () => {
    const law = (filter: string) => {
      expect([...found(filter), ...found(`NOT (${filter})`)].sort().join('')).toBe('abe');
    };
    fc.assert(fc.property(validFilter, law), { numRuns: 500 });
  });

  it('means the same in signs and in words', () => {
    const law = (one: string, other: string) => {
      const [a, b] = [`(${one})`, `(${other})`];
      for (const sign of ['-', '!']) expect(found(`${sign}${a}`)).toBe(found(`NOT ${a}`));
      expect(found(`+${a}`)).toBe(found(a));
      expect([found(`${a} && ${b}`), found(`${a} ${b}`)]).toEqual([found(`${a} AND ${b}`), found(`${a} AND ${b}`)]);
      expect(found(`${a} || ${b}`)).toBe(found(`${a} OR ${b}`));
    };
    fc.assert(fc.property(validFilter, validFilter, law), { numRuns: 200 });
  });

  it('excludes with a brace what a bracket includes', () => {
    const law = (from: number, to: number) => {
      const inside = found(`unread_count:{${from} TO ${to}}`);
      const ends = found(`unread_count:("${from}" OR "${to}")`);
      expect(inside).toBe([...found(`unread_count:[${from} TO ${to}]`)].filter((key) => !ends.includes(key)).join(''));
    };
    const end = fc.constantFrom(-1, 0, 1, 3, 7, 12, 13);
    fc.assert(fc.property(end, end, law));
  });
});
