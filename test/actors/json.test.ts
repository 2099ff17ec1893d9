import { expect, test } from 'vitest';
import { merged } from '#actors/json.ts';
import type { JsonObject } from '#actors/representation.ts';

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
};

test.each<[base: JsonObject, patches: JsonObject[], result: JsonObject]>([
  [{ a: 1 }, [], { a: 1 }],
  [{ a: { x: 1 } }, [{ a: { y: 2 } }, { a: { x: 3 } }], { a: { x: 3, y: 2 } }],
  [{ a: { x: 1 } }, [{ a: null }, { a: { y: 2 } }], { a: { y: 2 } }],
  [{}, [{ a: { b: { c: 1 } } }, { a: { b: { c: null, d: 2 } } }], { a: { b: { d: 2 } } }],
  [{ a: [1, { b: 2 }] }, [{ a: [{ b: null }] }], { a: [{ b: null }] }],
  [{ a: 1 }, [{ a: { b: 1 } }, { a: 'text' }, { a: { c: 2 } }], { a: { c: 2 } }],
])('%j with %j over it is %j', (base, patches, result) => {
  // What goes in is frozen: a merge that changed it would throw.
  expect(merged(frozen(base), ...frozen(patches))).toEqual(result);
});

test('a key named __proto__ is merged like any other', () => {
  const patch = (text: string) => JSON.parse(`{"__proto__":${text}}`) as JsonObject;
  const result = merged(patch('{"a":1}'), patch('{"b":2}'), patch('{"a":null}'));
  expect(JSON.stringify(result)).toBe('{"__proto__":{"b":2}}');
  expect(merged(result, patch('null'))).toEqual({});
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
});
