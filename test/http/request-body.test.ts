import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Failure, type Problem } from '#actors/errors.ts';
import { defineOperation, empty } from '#src/http/operation.ts';
import { operations } from '#src/http/operations.ts';
import { validBody } from '#src/http/request-body.ts';
import { foreignId } from '#src/ingest/fields.ts';

const inner = z.object({ id: z.string() });
const operation = defineOperation({
  path: '/things.count',
  summary: 'Count.',
  auth: 'core',
  request: z.object({
    text: z.string().max(3).optional(),
    count: z.int().min(1).max(9).optional(),
    size: z.number().optional(),
    open: z.boolean().optional(),
    list: z.array(inner).max(2).optional(),
    map: z.record(z.string().min(1), inner).optional(),
    kind: z.enum(['a', 'b']).optional(),
    address: z.url().optional(),
    code: z.string().regex(/^x$/).optional(),
    name: foreignId.optional(),
    either: z.union([z.number(), z.iso.datetime()]).optional(),
  }),
  example: {},
  responses: { 204: null },
  errors: [],
  handle: () => empty(204),
});

function problemsOf(work: () => unknown): Problem[] {
  try {
    work();
    return [];
  } catch (error) {
    return error instanceof Failure ? (error.details ?? []) : [{ path: '', problem: String(error) }];
  }
}

describe('a body that does not fit', () => {
  it.each([
    [{ text: 1 }, 'text', 'must be text'],
    [{ text: 'four' }, 'text', 'must be at most 3 characters long'],
    [{ count: 'x' }, 'count', 'must be a number'],
    [{ count: 1.5 }, 'count', 'must be a whole number'],
    [{ count: 0 }, 'count', 'must be at least 1'],
    [{ count: 10 }, 'count', 'must be at most 9'],
    [{ open: 'yes' }, 'open', 'must be true or false'],
    [{ list: {} }, 'list', 'must be a list'],
    [{ list: [{}, { id: 'b' }] }, 'list[0].id', 'is required'],
    [{ list: [{ id: '' }, { id: '' }, { id: '' }] }, 'list', 'must be at most 2 items long'],
    [{ map: [] }, 'map', 'must be an object'],
    [{ map: { a: 1 } }, 'map.a', 'must be an object'],
    [{ map: { '': { id: 'a' } } }, 'map.', 'must be at least 1 characters long'],
    [{ name: '' }, 'name', 'must be at least 1 characters long'],
    [{ kind: 'c' }, 'kind', 'must be "a" or "b"'],
    [{ address: 'x' }, 'address', 'must be an http:// or https:// address'],
    [{ code: 'y' }, 'code', 'has not the form that is needed'],
    [{ either: true }, 'either', 'has none of the forms that are allowed'],
    ['text', 'body', 'must be an object'],
  ])('%j is told what is needed', (body, path, problem) => {
    expect(problemsOf(() => validBody(operation, body))).toEqual([{ path, problem }]);
  });

  it.each([
    ['/messages.suggest-replies', 'suggestions'],
    ['/webhooks.subscribe', 'headers'],
  ])('%s loses no key of its %s', (path, field) => {
    const each = operations.find((one) => one.path === path)!;
    const body = { ...(each.example as object), [field]: JSON.parse('{"__proto__":{"content":1}}') as unknown };
    expect(problemsOf(() => validBody(each, body))).toEqual([
      { path: `${field}.__proto__`, problem: 'can not be a key' },
    ]);
  });

  it('meets no word of the validator in any operation', () => {
    const wrong = [1, 'x', '', [], {}, true, ['x'], { x: 'x' }];
    const problems = operations.flatMap((each) =>
      Object.keys(each.example as object).flatMap((name) =>
        wrong.flatMap((value) => problemsOf(() => validBody(each, { ...(each.example as object), [name]: value }))),
      ),
    );
    expect(problems.length).toBeGreaterThan(100);
    const foreign = problems.filter(({ problem }) =>
      /invalid|expected|received|input|record|array|boolean/i.test(problem),
    );
    expect(foreign).toEqual([]);
  });
});
