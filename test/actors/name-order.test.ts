import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameOrder } from '#actors/contact/name-order.ts';

const collator = new Intl.Collator('en');

/** Below, at or above zero as the first name stands before, beside or behind the second. */
function compared(a: string, b: string): number {
  const [first, second] = [nameOrder(a), nameOrder(b)].map((key) => Buffer.from(key));
  return Math.sign(Buffer.compare(first!, second!));
}

const names = [
  ...[
    ' ',
    '-',
    '_',
    '#1',
    '+49',
    '1',
    '10',
    '2',
    'Ä',
    'a',
    'A',
    'á',
    'ab',
    'Ab',
    'aB',
    'a b',
    'a-b',
    'æ',
    'Ann',
    'ann',
  ],
  ...['Ånn', 'Öl', 'Oz', 'ol', 'Ørsted', 'Łukasz', 'Lukas', 'straße', 'Strasse', 'strasze', 'zoë', 'Zoe', 'Zoë', 'ﬁn'],
  ...['Ωmega', 'αlpha', 'Жук', 'аня', 'Ёж', 'محمد', '李', '山', '한'],
];

test('names stand as the collation of Unicode has them', () => {
  const ours = names.toSorted(compared);
  expect(ours).toEqual(names.toSorted(collator.compare));
});

const text = fc.string({ unit: fc.constantFrom(...'abcABCxyzZ019 -_.,\'"()+&#éÉüÜñçøØæßαβΩАбя'), maxLength: 6 });

test('any two names of Latin, Greek and Cyrillic do', () => {
  fc.assert(
    fc.property(text, text, (a, b) => compared(a, b) === Math.sign(collator.compare(a, b))),
    { numRuns: 3_000 },
  );
});

test('what has no name comes last, and any text has a place', () => {
  expect(nameOrder(undefined) > nameOrder('\u{10ffff}')).toBe(true);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const key = nameOrder(name);
      return key.isWellFormed() && key.length <= 3 * 256 + 1 && key < nameOrder(undefined);
    }),
  );
});
