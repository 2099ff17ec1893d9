import { expect, test } from 'vitest';
import { JsonText } from '#actors/json.ts';
import { type Page, type PageKey, pageOf, type PageQuery } from '#actors/store/page.ts';

const mebibyte = 1024 * 1024;

/** A list of texts of these sizes, by their index; `pulled` are the rows that were asked for. */
function listOf(sizes: readonly number[]) {
  const pulled: number[] = [];
  function* fetch(key: PageKey | null, backwards: boolean, limit: number): Iterable<number> {
    const from = key?.[0] ?? (backwards ? sizes.length : -1);
    const step = backwards ? -1 : 1;
    for (let row = from + step, left = limit; row >= 0 && row < sizes.length && left > 0; row += step, left--) {
      pulled.push(row);
      yield row;
    }
  }
  const textOf = (row: number) => new JsonText<string>(`${row}`.padEnd(sizes[row]!, 'ä'));
  const page = (query: PageQuery): Page<string> => pageOf(query, fetch, (row) => [row], textOf, sizes.length);
  return { page, pulled };
}

const rowsOf = ({ items }: Page<string>): number[] => items.map(({ text }) => Number.parseInt(text, 10));

/** A letter of these texts has two bytes. */
const third = mebibyte / 6;

test('a page ends before 1 MiB, and leads on and back', () => {
  const { page } = listOf(Array.from({ length: 8 }, () => third));
  const walked: number[][] = [];
  let current = page({ limit: 5, from: null });
  walked.push(rowsOf(current));
  while (current.after !== null) {
    current = page({ limit: 5, from: { key: current.after, direction: 'after' } });
    walked.push(rowsOf(current));
  }
  expect(walked).toEqual([
    [0, 1, 2],
    [3, 4, 5],
    [6, 7],
  ]);
  const back: number[][] = [];
  while (current.before !== null) {
    current = page({ limit: 5, from: { key: current.before, direction: 'before' } });
    back.push(rowsOf(current));
  }
  expect(back).toEqual([
    [3, 4, 5],
    [0, 1, 2],
  ]);
});

test('an item of any size is a page of its own', () => {
  const { page } = listOf([10, 3 * mebibyte, 10]);
  const first = page({ limit: 10, from: null });
  const second = page({ limit: 10, from: { key: first.after!, direction: 'after' } });
  const third = page({ limit: 10, from: { key: second.after!, direction: 'after' } });
  expect([first, second, third].map(rowsOf)).toEqual([[0], [1], [2]]);
  expect([first.before, third.after]).toEqual([null, null]);
});

test('rows beyond the page are not read', () => {
  const { page, pulled } = listOf(Array.from({ length: 1_000 }, () => mebibyte));
  expect(rowsOf(page({ limit: 1_000, from: null }))).toEqual([0]);
  expect(pulled).toEqual([0, 1]);
});
