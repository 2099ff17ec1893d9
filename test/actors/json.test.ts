import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { merged, parseJson } from '#actors/json.ts';
import type { JsonObject } from '#actors/representation.ts';

const odd = [
  '9007199254740993',
  '1.10',
  '-0',
  '1e5',
  '1E-7',
  '0.10000000000000000001',
  '-12345678901234567890',
  '1e400',
];
const digits = fc.oneof(
  fc.constantFrom(...odd),
  fc.maxSafeInteger().map(String),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => JSON.stringify(value)),
  fc.tuple(fc.bigInt(), fc.nat(), fc.integer({ min: -30, max: 30 })).map(([n, f, e]) => `${n}.${f}e${e}`),
);
const text = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    digits,
    fc.string().map((value) => JSON.stringify(value)),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }).map((values) => `[${values.join(',')}]`),
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'constructor', 'x y'), tie('value')), {
      selector: ([key]) => key,
      maxLength: 4,
    })
    .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
})).value as fc.Arbitrary<string>;

describe('JSON from outside', () => {
  it('goes out with the digits and keys that it came with', () => {
    fc.assert(
      fc.property(text, (given) => JSON.stringify(parseJson(given)) === given),
      { numRuns: 500 },
    );
  });

  it('keeps digits after spaces and line ends', () => {
    for (const number of odd) {
      expect(JSON.stringify(parseJson(`{ "a" :\n ${number} , "b":[ ${number} ]}`))).toBe(
        `{"a":${number},"b":[${number}]}`,
      );
    }
  });

  it('comes as plain numbers where these say the same', () => {
    expect(parseJson('{"a":[0,-1,1.5,1767225600000,9007199254740991]}')).toEqual({
      a: [0, -1, 1.5, 1_767_225_600_000, 9_007_199_254_740_991],
    });
  });

  it('is merged digit by digit', () => {
    const base = parseJson('{"a":{"id":9007199254740993},"b":1.10}') as JsonObject;
    const patch = parseJson('{"a":{"v":2.50},"b":3.0}') as JsonObject;
    expect(JSON.stringify(merged(base, patch))).toBe('{"a":{"id":9007199254740993,"v":2.50},"b":3.0}');
  });
});

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
