import { setTimeout as wait } from 'node:timers/promises';
import { Crowd } from '../crowd.ts';
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
    const before = hub.resident();
    const count = visitors / shrink;
    using crowd = new Crowd(hub);
    await crowd.come(count);
    await wait(settle);
    const idle = hub.resident();
    say(`${count} sockets: ${idle.all.toFixed(0)} MB, ${before.all.toFixed(0)} MB without them`);
    const sent: Promise<number>[] = [];
    const begun = performance.now();
    for (let n = 0; n < perSecond * seconds; n++) {
      const due = begun + (n * 1_000) / perSecond;
      await wait(Math.max(0, due - performance.now()));
      sent.push(crowd.send((n * 7_919) % count, `message ${n}`));
    }
    const took = (await Promise.all(sent)).sort((a, b) => a - b);
    const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
    say(`${perSecond}/s: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms until the socket has it`);
    return [
      {
        ...{ what: `resident memory, ${count} visitors with idle sockets`, unit: 'MB', measured: idle.all },
        aim: { of: 'measured', most: mostMb },
      },
      { what: 'of which for each visitor', unit: 'KB', measured: ((idle.all - before.all) * 1_000) / count },
      { what: `p50 of a message to a visitor at ${perSecond}/s`, unit: 'ms', measured: p50 },
      {
        ...{ what: `p99 of a message to a visitor at ${perSecond}/s`, unit: 'ms', measured: p99 },
        aim: { of: 'measured', most: mostP99Ms },
      },
    ] satisfies Figure[];
  },
};
