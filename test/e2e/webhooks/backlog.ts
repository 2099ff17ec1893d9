import { readFileSync } from 'node:fs';
import { HubProcess } from '../../_support/hub-process.ts';
import { SourceClient, until } from '../../_support/source-client.ts';
import { type Judgement, judge } from './judgement.ts';
import { ReceiverProcess } from './receiver-process.ts';
import { eventsOf, ingest, webhooks } from './support.ts';

export interface BacklogOptions {
  /** Events behind the dead endpoint. */
  events: number;
  /** Rounds of measuring without and with the dead endpoint, and the length of one in ms; 0 rounds measure nothing. */
  rounds: number;
  roundMs: number;
  log(line: string): void;
}

export interface BacklogReport {
  /** From the time of the event to its receipt by the other subscription, in ms: medians over the rounds. */
  without: { p50: number; p99: number };
  beside: { p50: number; p99: number };
  /** Resident memory of the hub that is no page of a file, in MB: before the backlog, with it, and at the end. */
  memory: { before: number; behind: number; after: number };
  /** From the return of the endpoint to the last of the backlog, in s. */
  caughtUpIn: number;
  judgement: Judgement;
  received: number;
}

const key = 'a-key-of-visible-characters';
const conversations = 1_000;
const batch = 1_000;
/** Messages every `tick` ms: 200 a second. */
const perTick = 4;
const tick = 20;
/** What a burst leaves behind is collected in this time, in ms. */
const settle = 3_000;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A dead endpoint with events behind it, beside one that is well; then it comes back. */
export async function backlog({ events, rounds, roundMs, log }: BacklogOptions): Promise<BacklogReport> {
  await using hub = await HubProcess.start();
  await using source = await SourceClient.register(hub, 'shop');
  await using receiver = await ReceiverProcess.start(key);
  await using other = await ReceiverProcess.start(key);
  await receiver.behave('/dead', { kind: 'status', status: 500 });
  const fields = { events: ['message.created'], signature_key: key };
  let pushed = 0;
  const push = async (count: number): Promise<void> => {
    const { status } = await ingest(source, pushed, pushed + count, conversations);
    if (status !== 200) throw new Error(`the ingest was answered with ${status}`);
    pushed += count;
  };
  const { id } = await webhooks(hub, 'subscribe', { ...fields, url: receiver.url('/dead') });
  // What taking in so many messages costs is no matter of webhooks: it is over before the endpoint has them behind it.
  await webhooks(hub, 'unsubscribe', { id });
  while (pushed < events) await push(batch);
  await wait(settle);
  const before = anonymous(hub);
  await webhooks(hub, 'update', { id });
  const state = async (): Promise<string> => (await webhooks(hub, 'info', { id })).state;
  await until('the endpoint is given up', async () => (await state()) === 'backingOff');
  await wait(settle);
  const behind = anonymous(hub);
  log(`${pushed} events behind; ${before.toFixed(0)} MB before, ${behind.toFixed(0)} MB with them`);

  const measure = async (): Promise<{ p50: number; p99: number }> => {
    const from = other.calls;
    const start = pushed;
    for (const end = Date.now() + roundMs; Date.now() < end; await wait(tick)) await push(perTick);
    await until('the other subscription has all', () => other.calls === from + pushed - start);
    const ages = other.receipts().slice(from);
    return spread(ages.map(({ at, timestamp }) => at - timestamp));
  };
  await webhooks(hub, 'subscribe', { ...fields, url: other.url('/live') });
  const without: { p50: number; p99: number }[] = [];
  const beside: { p50: number; p99: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    await webhooks(hub, 'unsubscribe', { id });
    without.push(await measure());
    await webhooks(hub, 'update', { id });
    beside.push(await measure());
    log(`without ${JSON.stringify(without.at(-1))}, beside it ${JSON.stringify(beside.at(-1))}`);
  }
  const after = anonymous(hub);
  await webhooks(hub, 'update', { id });
  await receiver.behave('/dead', { kind: 'ok' });
  const back = Date.now();
  const delivered = (): number =>
    receiver.receipts().reduce((sum, { answered }) => sum + (answered === 200 ? 1 : 0), 0);
  for (let last = -1; delivered() < pushed && last < delivered(); await wait(7_000)) last = delivered();
  const receipts = receiver.receipts();
  const { judgement } = judge(receipts, await eventsOf(hub, 'message.created'), []);
  return {
    without: median(without),
    beside: median(beside),
    memory: { before, behind, after },
    caughtUpIn: ((receipts.at(-1)?.at ?? back) - back) / 1_000,
    judgement,
    received: delivered(),
  };
}

/** Resident memory that is no page of a file, in MB. */
function anonymous(hub: HubProcess): number {
  const status = readFileSync(`/proc/${hub.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

function spread(values: number[]): { p50: number; p99: number } {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function median(rounds: { p50: number; p99: number }[]): { p50: number; p99: number } {
  return { p50: spread(rounds.map(({ p50 }) => p50)).p50, p99: spread(rounds.map(({ p99 }) => p99)).p50 };
}
