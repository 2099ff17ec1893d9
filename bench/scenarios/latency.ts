import { BenchHub } from '../hub.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { saturate } from './ingest.ts';

const connections = 256;
const conversations = conversationNames(1_000);
const halfLoad = 0.5;
const mostP99Ms = 15;

/** How long a single message takes at half of what the hub can take, from the time at which it was due. */
export const latency: Scenario = {
  name: 'latency',
  async run(scale, say) {
    await using hub = await BenchHub.start();
    const { perSecond } = await saturate(hub.url, hub.token, scale);
    const rate = Math.floor(perSecond * halfLoad);
    const p50: number[] = [];
    const p99: number[] = [];
    for (let round = 0; round < scale.rounds; round++) {
      const report = await runLoad({
        url: hub.url,
        request: ingestRequest({ token: hub.token, messages: 1, conversations, pick: 'random' }),
        connections,
        warmUp: scale.warmUp,
        until: { seconds: scale.seconds },
        rate,
      });
      const { latency: seen } = report;
      say(`${rate}/s: p50 ${seen.p50.toFixed(1)}, p99 ${seen.p99.toFixed(1)}, max ${seen.max.toFixed(1)} ms`);
      p50.push(seen.p50);
      p99.push(seen.p99);
    }
    const what = `single-message ingest at ${rate}/s`;
    return [
      { what: `p50 of ${what}`, unit: 'ms', measured: median(p50) },
      { what: `p99 of ${what}`, unit: 'ms', measured: median(p99), aim: { of: 'measured', most: mostP99Ms } },
    ] satisfies Figure[];
  },
};
