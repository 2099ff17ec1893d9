import { expect, test } from 'vitest';
import { Company } from '#actors/runtime/company.ts';

test('nobody has company without another one', () => {
  const company = new Company();
  expect([company.has('a', 0), company.isSeveral(0)]).toEqual([false, false]);
  company.seen('a', 0);
  company.seen('a', 1);
  expect([company.has('a', 1), company.isSeveral(1)]).toEqual([false, false]);
});

test('each of several has company, for a second', () => {
  const company = new Company();
  company.seen('a', 0);
  company.seen('b', 10);
  company.seen('b', 20);
  const seen = (now: number) => [company.has('a', now), company.has('b', now), company.has('c', now)];
  expect([seen(1_000), seen(1_001), seen(1_021)]).toEqual([
    [true, true, true],
    [true, false, true],
    [false, false, false],
  ]);
  expect([company.isSeveral(1_000), company.isSeveral(1_001)]).toEqual([true, false]);
});
