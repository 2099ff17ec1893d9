import { setTimeout as wait } from 'node:timers/promises';
import { Crowd, type Way } from '../crowd.ts';
import { BenchHub } from '../hub.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { percentile } from '../statistics.ts';

const visitors = 10_000;
const perSecond = 200;
const mostMb = 350;
const mostP99Ms = 50;
/** What coming leaves behind is collected in this time, in ms. */
const settle = 8_000;

/** Many visitors with an open socket each: what they cost, and how long a message to one of them takes. */
export const connectedVisitors: Scenario = {
  name: 'visitors',
  async run({ seconds, shrink }, say) {
    await using hub = await BenchHub.start();
    await wait(settle);
    const before = hub.resident();
    const count = visitors / shrink;
    using crowd = new Crowd(hub);
    await crowd.come(count);
    await wait(settle);
    const idle = hub.resident();
    say(`${count} sockets: ${idle.all.toFixed(0)} MB, ${before.all.toFixed(0)} MB without them`);
    const sent: Promise<Way>[] = [];
    const cpu = hub.cpuSeconds();
    const begun = performance.now();
    for (let n = 0; n < perSecond * seconds; n++) {
      const due = begun + (n * 1_000) / perSecond;
      await wait(Math.max(0, due - performance.now()));
      sent.push(crowd.send((n * 7_919) % count, `message ${n}`));
    }
    const ways = await Promise.all(sent);
    const cpuMs = ((hub.cpuSeconds() - cpu) * 1_000) / ways.length;
    const sorted = (name: keyof Way): number[] => ways.map(({ [name]: ms }) => ms).sort((a, b) => a - b);
    const [arrived, answered] = [sorted('arrived'), sorted('answered')];
    /** A message to a visitor, beside the answer that its sender has got: what of it is the machine's. */
    const figure = (name: string, share: number): Figure => ({
      ...{ what: `${name} of a message to a visitor at ${perSecond}/s`, unit: 'ms' },
      measured: percentile(arrived, share),
      baseline: { what: 'the answer to its sender', value: percentile(answered, share) },
    });
    return [
      {
        ...{ what: `resident memory, ${count} visitors with idle sockets`, unit: 'MB', measured: idle.all },
        aim: { of: 'measured', most: mostMb },
      },
      { what: 'of which for each visitor', unit: 'KB', measured: ((idle.all - before.all) * 1_000) / count },
      { what: 'processor time for a message to a visitor', unit: 'ms', measured: cpuMs },
      figure('p50', 0.5),
      { ...figure('p99', 0.99), aim: { of: 'measured', most: mostP99Ms } },
    ] satisfies Figure[];
  },
};
