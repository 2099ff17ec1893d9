import { expect, test } from 'vitest';
import { torture } from './torture.ts';

const nothing = { lost: [], doubled: [], gaps: [], undelivered: [], contradictions: [], problems: [] };
const log = (line: string): void => console.log(`crash test: ${line}`);

test.each([1, 4])('20 kills of the hub lose and double nothing (%i shards)', { timeout: 150_000 }, async (shards) => {
  const kills = shards === 1 ? 20 : 10;
  const report = await torture({ victim: 'hub', kills, writers: 50, shards, between: [50, 600], log });
  log(JSON.stringify(report));
  expect(report).toMatchObject(nothing);
  expect(report.acknowledged).toBeGreaterThan(kills * 10);
});

test('20 kills of nats-server lose and double nothing', { timeout: 150_000 }, async () => {
  const report = await torture({ victim: 'nats-server', kills: 20, writers: 50, shards: 1, between: [100, 1000], log });
  log(JSON.stringify(report));
  expect(report).toMatchObject(nothing);
  expect(report.acknowledged).toBeGreaterThan(1000);
});
