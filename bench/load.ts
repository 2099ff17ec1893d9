import { json } from 'node:stream/consumers';
import { LoadConnection } from './load/connection.ts';
import type { LoadOptions, LoadReport } from './load/options.ts';
import { RequestWriter } from './load/requests.ts';
import { percentile } from './statistics.ts';

/** A load generator in a process of its own: reads its options as JSON from standard input, prints its report as JSON. */

const firstFailure = 300;
/** How often the open loop looks what is due, in ms: the error of its latencies. */
const tick = 1;
/** How long answers are waited for once no more requests are made, in ms. */
const lastAnswers = 15_000;

/** What is counted between the end of the warm-up and the end. */
class Tally {
  readonly #latencies: number[] = [];
  readonly #statuses: Record<string, number> = {};
  #failure: string | null = null;
  #since = 0;
  #cpu = process.cpuUsage();
  counting = false;

  start(): void {
    this.counting = true;
    this.#since = performance.now();
    this.#cpu = process.cpuUsage();
  }

  add(from: number, status: number, failure: string): void {
    if (status === 0 || status >= firstFailure) this.#failure ??= `${status}: ${failure}`;
    if (!this.counting) return;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    this.#latencies.push(performance.now() - from);
  }

  report(): LoadReport {
    const seconds = (performance.now() - this.#since) / 1000;
    const cpu = process.cpuUsage(this.#cpu);
    const sorted = Float64Array.from(this.#latencies).sort();
    return {
      requests: sorted.length,
      seconds,
      perSecond: sorted.length / seconds,
      latency: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) ?? 0 },
      statuses: { ...this.#statuses },
      failure: this.#failure,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
    };
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Each connection sends its next request when the last one is answered. */
async function closedLoop(
  connections: LoadConnection[],
  requests: RequestWriter,
  options: LoadOptions,
): Promise<LoadReport> {
  const tally = new Tally();
  let left = 'requests' in options.until ? options.until.requests : Number.POSITIVE_INFINITY;
  const run = (connection: LoadConnection): Promise<void> =>
    new Promise((resolve) => {
      const next = (): void => {
        if (left <= 0) {
          resolve();
          return;
        }
        left--;
        const from = performance.now();
        connection.send(requests.next(), (status, failure) => {
          tally.add(from, status, failure);
          next();
        });
      };
      next();
    });
  if (options.warmUp === 0) tally.start();
  const all = Promise.all(connections.map(run));
  if ('requests' in options.until) {
    await all;
    return tally.report();
  }
  await wait(options.warmUp * 1000);
  tally.start();
  await wait(options.until.seconds * 1000);
  const report = tally.report();
  left = 0;
  await Promise.race([all, wait(lastAnswers)]);
  return report;
}

/** Requests are due at fixed times, whether or not earlier ones are answered; a late start counts as latency. */
async function openLoop(
  idle: LoadConnection[],
  requests: RequestWriter,
  { warmUp, until, rate = 1 }: LoadOptions,
): Promise<LoadReport> {
  if (!('seconds' in until)) throw new Error('a fixed rate needs a time');
  const tally = new Tally();
  const connections = idle.length;
  const started = performance.now();
  const countFrom = started + warmUp * 1000;
  const end = countFrom + until.seconds * 1000;
  let sent = 0;
  const dueTime = (n: number): number => started + (n / rate) * 1000;
  const sendDue = (): void => {
    for (let due = dueTime(sent); due <= performance.now() && due < end && idle.length > 0; due = dueTime(sent)) {
      sent++;
      const connection = idle.shift()!;
      const counts = due >= countFrom;
      connection.send(requests.next(), (status, failure) => {
        if (counts) tally.add(due, status, failure);
        idle.push(connection);
        sendDue();
      });
    }
  };
  tally.start();
  const timer = setInterval(sendDue, tick);
  while (performance.now() < end || dueTime(sent) < end || idle.length < connections) {
    if (performance.now() > end + lastAnswers) break;
    await wait(tick);
  }
  clearInterval(timer);
  const report = tally.report();
  return { ...report, seconds: until.seconds, perSecond: report.requests / until.seconds };
}

const options = (await json(process.stdin)) as LoadOptions;
const connections = Array.from({ length: options.connections }, () => new LoadConnection(options.url));
const requests = new RequestWriter(options.request, new URL(options.url).host, options.firstNumber);
const run = options.rate === undefined ? closedLoop : openLoop;
const report = await run([...connections], requests, options);
for (const connection of connections) connection.close();
console.log(JSON.stringify(report));
process.exit();
