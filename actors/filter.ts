import { Failure } from './errors.ts';

/** What a field is compared with: the literal text between its wildcards; one piece means there is no wildcard. */
export interface Operand {
  pieces: string[];
  /** Index in the filter's text, from 0. */
  at: number;
}

/** An end of a range; it belongs to the range unless it is excluded. */
export interface RangeEnd extends Operand {
  excluded?: boolean;
}

/** A field's dotted path, for example `['metadata', 'tags', '<id>']`. */
export interface Field {
  path: string[];
  at: number;
}

/** A filter as a tree: what a list is asked for. Each list knows its own fields and how they compare. */
export type Clause =
  /** All of none is everything. */
  | { kind: 'all' | 'any'; clauses: Clause[] }
  | { kind: 'not'; clause: Clause }
  /** `field` null: none was named; each list has one for that. */
  | { kind: 'match'; field: Field | null; value: Operand }
  /** Null is an open end. */
  | { kind: 'range'; field: Field; from: RangeEnd | null; to: RangeEnd | null };

/** A filter that can not be used, with the place in its text that shows why. */
export function invalidFilter(at: number, problem: string): Failure {
  const sentence = `${problem} at position ${at + 1}`;
  return new Failure('invalid_filter', `The filter can't be read: ${sentence}.`, {
    details: [{ path: 'filters', problem: sentence }],
  });
}
