import { expect, test } from 'vitest';
import { storm } from './storm.ts';

const log = (line: string): void => console.log(`webhook storm: ${line}`);

test('five kills and 30 % failures lose and disorder nothing', { timeout: 150_000 }, async () => {
  const options = { messages: 1_500, conversations: 20, failing: 0.3, kills: 5, shards: 4 };
  const report = await storm({ ...options, log });
  log(JSON.stringify(report));
  const nothing = { missing: [], disordered: [], unstable: [], repeated: [], unverified: [] };
  expect(report).toMatchObject({ judgement: nothing, kills: 5, events: 1_500, unfinished: 0 });
  expect(report.failures).toBeGreaterThan(300);
});
