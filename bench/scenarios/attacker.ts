import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AttackerOptions } from '../attacker.ts';
import { attackerOf, attacks } from '../attacks.ts';
import { BenchHub } from '../hub.ts';
import type { RequestTemplate } from '../load/options.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Figure, Scale, Scenario } from '../scenario.ts';

const program = fileURLToPath(new URL('../attacker.ts', import.meta.url));
const attackConnections = 64;
const bytesPerSecond = 2_000_000;
const conversations = conversationNames(1_000);
const honestConnections = 32;
const messagesPerSecond = 100;
const mostTimesP99 = 3;
const mostTimesMemory = 2;
/** How often memory is looked at, in ms. */
const lookEvery = 100;

/** What honest requests and the hub's memory came to: p99 in ms, and the most memory in MB. */
interface Seen {
  p99: number;
  mb: number;
}

/** Runs a source's own requests and looks at the hub's memory meanwhile. */
async function honest(hub: BenchHub, { seconds, warmUp }: Scale): Promise<Seen> {
  let mb = 0;
  const look = setInterval(() => {
    mb = Math.max(mb, hub.resident().all);
  }, lookEvery);
  try {
    const { latency, requests } = await runLoad({
      url: hub.url,
      request: ingestRequest({ token: hub.token, messages: 1, conversations, pick: 'random' }),
      connections: honestConnections,
      warmUp,
      until: { seconds },
      rate: messagesPerSecond,
    });
    // Nobody was answered at all: there is no worse.
    return { p99: requests === 0 ? Number.POSITIVE_INFINITY : latency.p99, mb };
  } finally {
    clearInterval(look);
  }
}

/** Attacks the hub while `work` is done. @returns what that came to, and the answers that the attacker had */
async function underAttack<T>(url: string, request: RequestTemplate, work: () => Promise<T>): Promise<[T, string]> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const options: AttackerOptions = { url, request, connections: attackConnections, bytesPerSecond };
  child.stdin.write(`${JSON.stringify(options)}\n`);
  try {
    const done = await work();
    child.stdin.end();
    return [done, (await text(child.stdout)).trim()];
  } finally {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  }
}

/** What a source and the hub's memory suffer from another source that uses its token for the worst that is allowed. */
export const attacker: Scenario = {
  name: 'attacker',
  async run(scale, say) {
    const figures: Figure[] = [];
    for (const { what, prepare } of attacks) {
      await using hub = await BenchHub.start();
      const request = await prepare(await attackerOf(hub));
      const peace = await honest(hub, scale);
      const [siege, answers] = await underAttack(hub.url, request, () => honest(hub, scale));
      say(`${what}: p99 ${peace.p99.toFixed(1)} ms in peace, ${siege.p99.toFixed(1)} ms under attack; ${answers}`);
      say(`${what}: ${peace.mb.toFixed(0)} MB in peace, ${siege.mb.toFixed(0)} MB under attack`);
      figures.push(
        {
          what: `p99 of a source beside ${what}`,
          unit: 'ms',
          measured: siege.p99,
          baseline: { what: 'in peace', value: peace.p99 },
          aim: { of: 'ratio', most: mostTimesP99 },
        },
        {
          what: `memory beside ${what}`,
          unit: 'MB',
          measured: siege.mb,
          baseline: { what: 'in peace', value: peace.mb },
          aim: { of: 'ratio', most: mostTimesMemory },
        },
      );
    }
    return figures;
  },
};
