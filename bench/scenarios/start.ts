import { BenchHub } from '../hub.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const messages = 100_000;
const conversations = 10_000;
const mostMs = 500;
const startsPerRound = 2;

/** From the start of the process to `hub.ready`, on a workspace that holds messages. */
export const start: Scenario = {
  name: 'start',
  async run({ rounds, shrink }, say) {
    await using hub = await BenchHub.start();
    await hub.fill(messages / shrink, conversations / shrink);
    const times: number[] = [];
    for (let i = 0; i < rounds * startsPerRound; i++) {
      await hub.restart();
      say(`ready after ${hub.startMs.toFixed(0)} ms`);
      times.push(hub.startMs);
    }
    return [
      {
        what: `start to ready with ${messages / shrink} messages`,
        unit: 'ms',
        measured: median(times),
        aim: { of: 'measured', most: mostMs },
      },
    ];
  },
};
