import { invalidFilter, type Operand, type RangeEnd } from '../../filter.ts';

export type Range = { from: RangeEnd | null; to: RangeEnd | null };

/** The first and the last number that a value stands for. */
type Read = (value: Operand) => [first: number, last: number];

/** The end of a range, as what it is compared with. */
export interface Limit<V> {
  value: V;
  excluded?: boolean | undefined;
}

/**
 * The ends of a range as numbers. What is excluded is excluded with all that it stands for: a day is over when its last
 * millisecond is.
 */
export const limitsOf = ({ from, to }: Range, read: Read): [from: Limit<number> | null, to: Limit<number> | null] => [
  from && { excluded: from.excluded, value: read(from)[from.excluded ? 1 : 0] },
  to && { excluded: to.excluded, value: read(to)[to.excluded ? 0 : 1] },
];

/** Whether a number lies between limits; null is an open end. */
export const isWithin = (from: Limit<number> | null, to: Limit<number> | null): ((value: number) => boolean) => {
  const first = from === null ? Number.NEGATIVE_INFINITY : from.value;
  const last = to === null ? Number.POSITIVE_INFINITY : to.value;
  return (value) =>
    (value > first || (value === first && !from?.excluded)) && (value < last || (value === last && !to?.excluded));
};

export function wholeNumber({ pieces, at }: Operand): [number, number] {
  if (pieces.length > 1 || !/^-?\d{1,15}$/.test(pieces[0]!)) throw invalidFilter(at, 'A whole number is expected');
  return [Number(pieces[0]), Number(pieces[0])];
}

/** Epoch milliseconds, an ISO time (UTC unless it says otherwise), or a date: all of its day in UTC. */
export function instants({ pieces, at }: Operand): [number, number] {
  const [text = ''] = pieces;
  if (pieces.length === 1 && /^-?\d{1,15}$/.test(text)) return [Number(text), Number(text)];
  const iso = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  const [, date, time = '', zone = 'Z'] = iso ?? [];
  const start = date && (time || zone === 'Z') ? Date.parse(`${date}${time || 'T00:00'}${zone}`) : Number.NaN;
  if (pieces.length > 1 || Number.isNaN(start)) {
    throw invalidFilter(at, 'A time is expected, as epoch milliseconds or like 2026-01-31T12:00:00Z,');
  }
  return [start, time ? start : start + 86_399_999];
}
