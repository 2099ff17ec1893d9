import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { BenchHub } from '../hub.ts';
import type { LoadReport } from '../load/options.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Figure, Scale, Scenario } from '../scenario.ts';
import { ServerProcess } from '../server-process.ts';
import { alternate, median } from '../statistics.ts';

const connections = 64;
const conversations = conversationNames(1_000);
const leastOfValidating = 0.2;
const leastOfGroupCommit = 0.7;
const mostMicroseconds = 190;
const leastCores = 1.8;

const microseconds = 1_000_000;

type Server = Pick<ServerProcess, 'url' | 'cpuSeconds'>;

const program = (name: string): string => fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url));

/** Processor time of the whole machine so far, in ms: of which idle, and in all. */
function machineTime(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}

/** Single messages as fast as they are answered. */
export const saturate = (url: string, token: string, { warmUp, seconds }: Scale): Promise<LoadReport> =>
  runLoad({
    url,
    request: ingestRequest({ token, messages: 1, conversations, pick: 'random' }),
    connections,
    warmUp,
    until: { seconds },
  });

/** Durable single-message ingest over HTTP, beside a route that only validates and one written by hand. */
export const ingest: Scenario = {
  name: 'ingest',
  async run(scale, say) {
    await using validating = await ServerProcess.start([program('validate-only')], 'baseline.ready');
    await using committing = await ServerProcess.start([program('group-commit')], 'baseline.ready');
    await using hub = await BenchHub.start();
    const costs: number[] = [];
    const cores: number[] = [];
    const side = (name: string, server: Server, token: string) => async (): Promise<number> => {
      const [cpuBefore, before] = [server.cpuSeconds(), machineTime()];
      const { perSecond, latency, requests, seconds, cpuSeconds } = await saturate(server.url, token, scale);
      // The warm-up is part of the time that was spent, at about the same rate.
      const counted = seconds / (seconds + scale.warmUp);
      const cost = ((server.cpuSeconds() - cpuBefore) * counted * microseconds) / requests;
      const after = machineTime();
      const busy = cpus().length * (1 - (after.idle - before.idle) / (after.all - before.all));
      if (server === hub) {
        costs.push(cost);
        cores.push(busy);
      }
      say(
        `${name}: ${perSecond.toFixed(0)}/s, p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms, ` +
          `${cost.toFixed(0)} µs CPU each, ${busy.toFixed(2)} cores busy; the generator took ${cpuSeconds.toFixed(1)} s CPU`,
      );
      return perSecond;
    };
    const [validated, committed, ingested] = (await alternate(scale.rounds, [
      side('validate only', validating, ''),
      side('group commit', committing, ''),
      side('hub', hub, hub.token),
    ])) as [number, number, number];
    const figure = { what: 'single-message ingest', unit: 'messages/s', measured: ingested };
    return [
      {
        ...figure,
        baseline: { what: 'a Hono route that only validates', value: validated },
        aim: { of: 'ratio', least: leastOfValidating },
      },
      {
        ...figure,
        baseline: { what: 'Hono + better-sqlite3 with group commit', value: committed },
        aim: { of: 'ratio', least: leastOfGroupCommit },
      },
      {
        what: 'processor time of the hub for a message',
        unit: 'µs',
        measured: median(costs),
        aim: { of: 'measured', most: mostMicroseconds },
      },
      {
        what: 'cores busy',
        unit: `of ${cpus().length}`,
        measured: median(cores),
        aim: { of: 'measured', least: leastCores },
      },
    ] satisfies Figure[];
  },
};
