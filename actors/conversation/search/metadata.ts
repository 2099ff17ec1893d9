import type { Operand, RangeEnd } from '../../filter.ts';
import type { Connection } from '../../store/database.ts';
import { entryTypes, pathText } from './entries.ts';
import type { Range } from './limits.ts';

const { structure, text, written, number } = entryTypes;
const anyOf = (...types: number[]): string => `type IN (${types.join()})`;

/** How entries of metadata are looked up; each gives ordinals, one that has several again and again. Parameters: the path, then what it is compared with. */
export const entryQueries = {
  present: `SELECT ordinal FROM entry WHERE path = ? AND ${anyOf(structure, text, written)}`,
  match: `SELECT ordinal FROM entry WHERE path = ? AND ${anyOf(text, written)} AND value = ?`,
  beginning: `SELECT ordinal FROM entry WHERE path = ? AND ${anyOf(text, written)} AND value >= ? AND value < ?`,
  range: 'SELECT ordinal FROM entry WHERE path = ? AND type = ? AND',
} as const;

/** Behind every text that begins with what it follows. */
const last = '\u{10ffff}';

/** Ordinals of conversations whose metadata has something at a path. */
export const having = (index: Connection, path: readonly string[]): number[] =>
  ordinals(index, entryQueries.present, pathText(path));

/**
 * Ordinals of conversations whose metadata has a value at a path, or in an array there. Numbers and booleans compare as
 * they are written; upper and lower case count.
 */
export function matching(index: Connection, path: readonly string[], { pieces }: Operand): number[] {
  const [first = ''] = pieces;
  if (pieces.length === 1) return ordinals(index, entryQueries.match, pathText(path), first);
  const begin = [pathText(path), first, first + last];
  if (pieces.length === 2 && pieces[1] === '') return ordinals(index, entryQueries.beginning, ...begin);
  const pattern = pieces.map((piece) => piece.replace(/[*?[]/g, '[$&]')).join('*');
  return ordinals(index, `${entryQueries.beginning} AND value GLOB ?`, ...begin, pattern);
}

/** The same of a range: of numbers where its ends are numbers, else of texts. */
export function between(index: Connection, path: readonly string[], { from, to }: Range): number[] {
  const ends = [from, to].filter((end) => end !== null);
  if (ends.length === 0) return having(index, path);
  const isNumeric = ends.every(({ pieces }) => /^-?\d{1,15}(\.\d{1,15})?$/.test(pieces[0]!));
  const limitOf = ({ pieces }: RangeEnd): string | number => (isNumeric ? Number(pieces[0]) : pieces[0]!);
  return ordinals(index, rangeQuery(from, to), ...[pathText(path), isNumeric ? number : text, ...ends.map(limitOf)]);
}

/** The query of a range with these ends; null is an open one. */
export const rangeQuery = (from: RangeEnd | null, to: RangeEnd | null): string => {
  const limits = [from && `value >${from.excluded ? '' : '='} ?`, to && `value <${to.excluded ? '' : '='} ?`];
  return `${entryQueries.range} ${limits.filter((limit) => limit !== null).join(' AND ')}`;
};

const ordinals = (index: Connection, query: string, ...parameters: (string | number)[]): number[] =>
  index.prepare(query).pluck().all(parameters) as number[];
