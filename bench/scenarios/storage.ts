import { existsSync, statSync } from 'node:fs';
import { BenchHub } from '../hub.ts';
import type { Scenario } from '../scenario.ts';

const messages = 200_000;
const conversations = 1_000;
const mostBytes = 800;

/** What a short message takes on disk: everything that the file holds, indexes and journal included. */
export const storage: Scenario = {
  name: 'storage',
  async run({ shrink }, say) {
    await using hub = await BenchHub.start();
    const stored = messages / shrink;
    await hub.fill(stored, conversations);
    // Its end moves the write-ahead log into the file.
    await hub.stop();
    const bytes = [hub.file, `${hub.file}-wal`].filter(existsSync).reduce((sum, file) => sum + statSync(file).size, 0);
    say(`${(bytes / 1e6).toFixed(1)} MB for ${stored} messages`);
    const what = `bytes on disk a message, ${conversations} conversations`;
    return [{ what, unit: 'bytes', measured: bytes / stored, aim: { of: 'measured', most: mostBytes } }];
  },
};
