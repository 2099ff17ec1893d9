import type { z } from 'zod';
import { Failure, type Problem } from '#actors/errors.ts';
import { pathOf } from './errors.ts';
import { dropNulls } from './null-fields.ts';
import type { Operation } from './operation.ts';
import { countedAt } from './raw-numbers.ts';

/**
 * What an operation's schema makes of a body.
 * @throws Failure `invalid_request` naming every field that does not fit
 */
export function validBody({ path, request }: Operation, body: unknown): unknown {
  dropNulls(request, body);
  let result = request.safeParse(body, { error: problemOf });
  // A field that takes a number takes its value; the digits are for what is passed on.
  if (!result.success && countedAt(body, pathsOf(result.error))) result = request.safeParse(body, { error: problemOf });
  if (result.success) return result.data;
  const details: Problem[] = result.error.issues.map((issue) => ({ path: pathOf(issue.path), problem: issue.message }));
  throw new Failure('invalid_request', `The body does not fit ${path}: see details.`, { details });
}

const pathsOf = ({ issues }: z.ZodError): PropertyKey[][] => issues.map(({ path }) => path);

/** What a schema expects, in the words of JSON. */
const wordsOf: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const unitOf: Record<string, string> = { string: ' characters long', array: ' items long' };

/** What is wrong with a value, where its schema has no words of its own for it. */
function problemOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${wordsOf[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf[issue.origin] ?? ''}`;
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf[issue.origin] ?? ''}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http:// or https:// address' : 'has not the form that is needed';
    // The path names the key: what is wrong with it is said already.
    case 'invalid_key':
      return issue.issues[0]!.message;
    default:
      return 'has none of the forms that are allowed';
  }
}
