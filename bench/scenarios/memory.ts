import { setTimeout as wait } from 'node:timers/promises';
import { BenchHub } from '../hub.ts';
import type { Figure, Scenario } from '../scenario.ts';

const conversations = 100_000;
const mostIdleMb = 120;
const mostTouchedMb = 350;
/** What start and load leave behind is collected in this time, in ms. */
const settle = 8_000;

/**
 * Resident memory of the hub's process: idle, at the end of as many messages as conversations, and after it, when each
 * conversation has its contact: before, the hub is at work.
 */
export const memory: Scenario = {
  name: 'memory',
  async run({ shrink }, say) {
    await using hub = await BenchHub.start();
    await wait(settle);
    const idle = hub.resident();
    const touched = conversations / shrink;
    await hub.fill(touched, touched);
    const busy = hub.resident();
    await hub.contactsMade(touched);
    await wait(settle);
    const loaded = hub.resident();
    for (const { all, anonymous } of [idle, busy, loaded]) {
      say(`${all.toFixed(0)} MB, of which ${anonymous.toFixed(0)} MB are no pages of files`);
    }
    const what = `resident memory, ${touched} conversations touched`;
    return [
      { what: 'resident memory, idle', unit: 'MB', measured: idle.all, aim: { of: 'measured', most: mostIdleMb } },
      { what: `${what} just now`, unit: 'MB', measured: busy.all },
      { what, unit: 'MB', measured: loaded.all, aim: { of: 'measured', most: mostTouchedMb } },
      { what: `${what}, without pages of files`, unit: 'MB', measured: loaded.anonymous },
    ] satisfies Figure[];
  },
};
