import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIngestedRows, writeRows } from '../bare-rows.ts';
import { BenchHub } from '../hub.ts';
import type { Scenario } from '../scenario.ts';
import { temporaryFolder } from '../server-process.ts';
import { alternate } from '../statistics.ts';

const messages = 100_000;
const conversations = 1_000;
/** Of one request, and of one transaction of the baseline. */
const perRequest = 1_000;
const leastOfBare = 0.7;

/** Batched ingest over HTTP, beside the very same rows written by better-sqlite3 alone. */
export const batch: Scenario = {
  name: 'batch',
  async run({ rounds, shrink }, say) {
    const fill = messages / shrink;
    let file = '';
    const folder = temporaryFolder();
    const hubs: BenchHub[] = [];
    try {
      const hubSide = async (): Promise<number> => {
        await hubs.pop()?.[Symbol.asyncDispose]();
        const hub = await BenchHub.start();
        hubs.push(hub);
        const { seconds } = await hub.fill(fill, conversations, perRequest);
        await hub.stop();
        file = hub.file;
        say(`hub: ${(fill / seconds).toFixed(0)} messages/s`);
        return fill / seconds;
      };
      let round = 0;
      const bareSide = async (): Promise<number> => {
        const copy = join(folder, `rows-${round++}.db`);
        const rows = readIngestedRows(file);
        const perSecond = writeRows(copy, rows, perRequest);
        for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
        say(`bare better-sqlite3: ${perSecond.toFixed(0)} messages/s, ${rows.writes.length} rows`);
        return perSecond;
      };
      const [ingested, bare] = (await alternate(rounds, [hubSide, bareSide])) as [number, number];
      return [
        {
          what: `ingest in batches of ${perRequest}`,
          unit: 'messages/s',
          measured: ingested,
          baseline: { what: 'bare better-sqlite3, the same rows', value: bare },
          aim: { of: 'ratio', least: leastOfBare },
        },
      ];
    } finally {
      await hubs.pop()?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
