import { fileURLToPath } from 'node:url';
import { BenchHub } from '../hub.ts';
import type { LoadReport } from '../load/options.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { ServerProcess } from '../server-process.ts';
import { median } from '../statistics.ts';
import { saturate } from './ingest.ts';

const connections = 256;
const conversations = conversationNames(1_000);
const halfLoad = 0.5;
const mostP99Ms = 15;

type Latency = LoadReport['latency'];

/**
 * How long a single message takes at half of what the hub can take, from the time at which it was due; and how long with
 * a group commit written by hand, at the same rate: what of it is the disk's and the machine's.
 */
export const latency: Scenario = {
  name: 'latency',
  async run(scale, say) {
    const program = fileURLToPath(new URL('../servers/group-commit.ts', import.meta.url));
    await using committing = await ServerProcess.start([program], 'baseline.ready');
    await using hub = await BenchHub.start();
    const { perSecond } = await saturate(hub.url, hub.token, scale);
    const rate = Math.floor(perSecond * halfLoad);
    const side = async (name: string, url: string, token: string): Promise<Latency> => {
      const { latency: seen } = await runLoad({
        ...{ url, connections, rate, warmUp: scale.warmUp, until: { seconds: scale.seconds } },
        request: ingestRequest({ token, messages: 1, conversations, pick: 'random' }),
      });
      const { p50, p99, max } = seen;
      say(`${name} at ${rate}/s: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(1)} ms`);
      return seen;
    };
    const seen: { hub: Latency; bare: Latency }[] = [];
    for (let round = 0; round < scale.rounds; round++) {
      seen.push({
        bare: await side('group commit', committing.url, ''),
        hub: await side('hub', hub.url, hub.token),
      });
    }
    const figure = (name: 'p50' | 'p99'): Figure => ({
      what: `${name} of single-message ingest at ${rate}/s`,
      unit: 'ms',
      measured: median(seen.map(({ hub: { [name]: ms } }) => ms)),
      baseline: { what: 'group commit at the same rate', value: median(seen.map(({ bare: { [name]: ms } }) => ms)) },
    });
    return [figure('p50'), { ...figure('p99'), aim: { of: 'measured', most: mostP99Ms } }];
  },
};
