import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { soup, validFilter } from './filters-arbitraries.ts';
import { found, problemOf } from './filters-data.ts';

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
