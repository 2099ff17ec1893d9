import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BenchHub } from '../hub.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { ServerProcess } from '../server-process.ts';
import { alternate, median } from '../statistics.ts';
import type { Received } from '../servers/webhook-receiver.ts';

const receiverProgram = fileURLToPath(new URL('../servers/webhook-receiver.ts', import.meta.url));
const loopProgram = fileURLToPath(new URL('../servers/bare-post.ts', import.meta.url));
const events = 20_000;
const conversations = 1_000;
const types = ['message.created'];
const pageSize = 1_000;
/** As many as the hub allows itself for one subscription. */
const inFlight = 64;
const lookEvery = 20;
const mostWait = 120_000;
const eventsPerSecond = 200;
const leastRatio = 0.6;
const mostP99Ms = 100;

type Subscription = { id: string };
type Page = { data: object[]; next_cursor: string };

/** Waits for so many deliveries. @returns what the receiver saw of them, which it forgets */
async function received(receiver: ServerProcess, count: number): Promise<Received> {
  for (const from = performance.now(); ; await wait(lookEvery)) {
    const so = Number(await (await fetch(`${receiver.url}/count`)).text());
    if (so >= count) break;
    if (performance.now() - from > mostWait) throw new Error(`only ${so} of ${count} deliveries arrived`);
  }
  return (await (await fetch(receiver.url)).json()) as Received;
}

/** Deliveries per second of a subscription that has `count` events behind it. */
async function hubRate(hub: BenchHub, receiver: ServerProcess, count: number): Promise<number> {
  const fields = { url: `${receiver.url}/`, events: types, signature_key: 'bench-key' };
  const { id } = await hub.call<Subscription>('webhooks.subscribe', fields);
  await hub.call('webhooks.unsubscribe', { id });
  await hub.fill(count, conversations);
  await hub.call('webhooks.subscribe', { id, url: fields.url, resume: true });
  const { from, to } = await received(receiver, count);
  await hub.call('webhooks.delete', { id });
  return (count / (to - from)) * 1_000;
}

/** The newest `count` events as the hub would send them. */
async function bodiesOf(hub: BenchHub, count: number): Promise<string[]> {
  const bodies: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page = await hub.call<Page>('events.list', { types, after, page_size: pageSize });
    if (page.data.length === 0) return bodies.slice(-count);
    bodies.push(...page.data.map((event) => JSON.stringify(event)));
    after = page.next_cursor;
  }
}

async function bareRate(receiver: ServerProcess, bodies: string[]): Promise<number> {
  const child = spawn(process.execPath, [loopProgram], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ url: receiver.url, bodies, inFlight }));
  await Promise.all([text(child.stdout), once(child, 'exit')]);
  const { from, to } = await received(receiver, bodies.length);
  return (bodies.length / (to - from)) * 1_000;
}

/** Signed deliveries to a receiver on this machine: how many, and how long after the event. */
export const webhooks: Scenario = {
  name: 'webhooks',
  async run({ rounds, seconds, warmUp, shrink }, say) {
    await using hub = await BenchHub.start();
    await using receiver = await ServerProcess.start([receiverProgram], 'receiver.ready');
    const count = events / shrink;
    await hub.fill(count, conversations);
    const bodies = await bodiesOf(hub, count);
    const sides = [() => hubRate(hub, receiver, count), () => bareRate(receiver, bodies)];
    const [deliveries, posts] = await alternate(rounds, sides);
    say(`${deliveries!.toFixed(0)} deliveries/s, bare loop ${posts!.toFixed(0)}/s`);

    await hub.call('webhooks.subscribe', { url: `${receiver.url}/`, events: types, signature_key: 'bench-key' });
    const request = ingestRequest({
      token: hub.token,
      messages: 1,
      conversations: conversationNames(conversations),
      pick: 'random',
    });
    const p99: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const load = { url: hub.url, request, connections: inFlight, rate: eventsPerSecond };
      await runLoad({ ...load, warmUp: 0, until: { seconds: warmUp } });
      await wait(lookEvery * 10);
      await received(receiver, 0);
      const { requests } = await runLoad({ ...load, warmUp: 0, until: { seconds } });
      const { latency } = await received(receiver, requests);
      say(`p50 ${latency.p50.toFixed(1)}, p99 ${latency.p99.toFixed(1)}, max ${latency.max.toFixed(1)} ms`);
      p99.push(latency.p99);
    }
    return [
      {
        what: `signed deliveries of ${count} events, ${inFlight} in flight`,
        unit: '/s',
        measured: deliveries!,
        baseline: { what: 'bare undici loop', value: posts! },
        aim: { of: 'ratio', least: leastRatio },
      },
      {
        what: `p99 from event to receipt at ${eventsPerSecond}/s`,
        unit: 'ms',
        measured: median(p99),
        aim: { of: 'measured', most: mostP99Ms },
      },
    ] satisfies Figure[];
  },
};
