import { fileURLToPath } from 'node:url';
import { conversationId } from '#actors/ids.ts';
import { openMessagePages } from '../bare-read.ts';
import { BenchHub } from '../hub.ts';
import { conversationNames, listRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Figure, Scale, Scenario } from '../scenario.ts';
import { ServerProcess } from '../server-process.ts';
import { alternate } from '../statistics.ts';

const leastOfRoute = 0.7;
const connections = 16;
const messages = 100_000;
const conversations = 1_000;
/** The default of the API. */
const pageSize = 20;
const readsPerLook = 1_000;

/** Pages a second that one thread reads and turns into JSON. */
function readBare(file: string, ids: string[], { seconds }: Scale): number {
  const pages = openMessagePages(file);
  const started = performance.now();
  let reads = 0;
  let spent = 0;
  do {
    for (let i = 0; i < readsPerLook; i++) JSON.stringify(pages.first(ids[(reads + i) % ids.length]!, pageSize));
    reads += readsPerLook;
    spent = (performance.now() - started) / 1000;
  } while (spent < seconds);
  pages.close();
  return reads / spent;
}

/** `messages.list`, beside the same rows read without the hub: in a Hono route, and without HTTP. */
export const list: Scenario = {
  name: 'list',
  async run(scale, say) {
    await using hub = await BenchHub.start();
    await hub.fill(messages / scale.shrink, conversations);
    const bareServer = fileURLToPath(new URL('../servers/bare-read.ts', import.meta.url));
    await using bare = await ServerProcess.start([bareServer, hub.file], 'baseline.ready');
    const ids = conversationNames(conversations).map((name) => conversationId(hub.channel, name));
    const side = (name: string, url: string) => async (): Promise<number> => {
      const { warmUp, seconds } = scale;
      const request = listRequest(ids, pageSize);
      const { perSecond, latency } = await runLoad({ url, request, connections, warmUp, until: { seconds } });
      say(`${name}: ${perSecond.toFixed(0)} pages/s, p99 ${latency.p99.toFixed(1)} ms`);
      return perSecond;
    };
    const [listed, routed, read] = (await alternate(scale.rounds, [
      side('hub', hub.url),
      side('bare route', bare.url),
      async () => readBare(hub.file, ids, scale),
    ])) as [number, number, number];
    const figure = { what: `messages.list, ${pageSize} messages`, unit: 'pages/s', measured: listed };
    return [
      {
        ...figure,
        baseline: { what: 'a Hono route with a bare read', value: routed },
        aim: { of: 'ratio', least: leastOfRoute },
      },
      { ...figure, baseline: { what: 'a bare read in process', value: read } },
    ] satisfies Figure[];
  },
};
