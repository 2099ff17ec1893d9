import { expect, test } from 'vitest';
import { backlog } from './backlog.ts';

const log = (line: string): void => console.log(`webhook backlog: ${line}`);

test('a dead endpoint comes back and gets all, in order', { timeout: 90_000 }, async () => {
  const report = await backlog({ events: 5_000, rounds: 1, roundMs: 2_000, log });
  log(JSON.stringify(report));
  const nothing = { missing: [], disordered: [], unstable: [], repeated: [], unverified: [] };
  expect(report.judgement).toEqual(nothing);
  expect(report.received).toBeGreaterThan(5_000);
});
