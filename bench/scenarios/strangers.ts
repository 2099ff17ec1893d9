import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchHub } from '../hub.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { alternate } from '../statistics.ts';
import type { StrangersOptions } from '../strangers.ts';

const program = fileURLToPath(new URL('../strangers.ts', import.meta.url));
const strangerConnections = 1_000;
const conversations = conversationNames(1_000);
const honestConnections = 32;
const messagesPerSecond = 100;
const mostMb = 150;
const mostBeyondMs = 100;
/** How often memory is looked at, in ms. */
const lookEvery = 100;

/** Strangers at work on a server; disposing of them ends them. */
async function strangersAt(url: string): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${JSON.stringify({ url, connections: strangerConnections } satisfies StrangersOptions)}\n`);
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** What the hub's memory and honest requests suffer from connections without a credential. */
export const strangers: Scenario = {
  name: 'strangers',
  async run({ rounds, seconds, warmUp }, say) {
    await using hub = await BenchHub.start();
    /** Runs honest requests. @returns their p99 in ms; notes the most memory that the hub had */
    const measure = async (most: { mb: number }): Promise<number> => {
      const look = setInterval(() => {
        most.mb = Math.max(most.mb, hub.resident().all);
      }, lookEvery);
      try {
        const { latency } = await runLoad({
          url: hub.url,
          request: ingestRequest({ token: hub.token, messages: 1, conversations, pick: 'random' }),
          connections: honestConnections,
          warmUp,
          until: { seconds },
          rate: messagesPerSecond,
        });
        return latency.p99;
      } finally {
        clearInterval(look);
      }
    };
    const [peace, siege] = [{ mb: 0 }, { mb: 0 }];
    const besieged = async (): Promise<number> => {
      await using _ = await strangersAt(hub.url);
      return await measure(siege);
    };
    await measure({ mb: 0 });
    const [alone, disturbed] = (await alternate(rounds, [() => measure(peace), besieged])) as [number, number];
    say(`p99 ${alone.toFixed(1)} ms and ${peace.mb.toFixed(0)} MB in peace`);
    say(`p99 ${disturbed.toFixed(1)} ms and ${siege.mb.toFixed(0)} MB beside ${strangerConnections} strangers`);
    return [
      {
        what: `p99 beyond that in peace, beside ${strangerConnections} strangers`,
        unit: 'ms',
        measured: disturbed - alone,
        aim: { of: 'measured', most: mostBeyondMs },
      },
      {
        what: `memory for ${strangerConnections} strangers`,
        unit: 'MB',
        measured: siege.mb - peace.mb,
        aim: { of: 'measured', most: mostMb },
      },
    ] satisfies Figure[];
  },
};
