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

interface Spread {
  p50: number;
  p99: number;
}

export interface BacklogReport {
  /** From the time of the event to its receipt by the other subscription, in ms: medians over the rounds. */
  without: Spread;
  beside: Spread;
  /** Resident memory of the hub that is no page of a file, in MB: before the backlog, with it, and at the end. */
  memory: { before: number; behind: number; after: number };
  /** From the return of the endpoint to the first success, and from that to the last of the backlog, in s. */
  noticedIn: number;
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
const longestCatchUp = 600_000;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A dead endpoint with events behind it, beside one that is well; then it comes back. */
export async function backlog({ events, rounds, roundMs, log }: BacklogOptions): Promise<BacklogReport> {
  await using hub = await HubProcess.start();
  await using source = await SourceClient.register(hub, 'shop');
  await using receiver = await ReceiverProcess.start(key);
  await using other = await ReceiverProcess.start(key);
  await receiver.behave('/dead', { kind: 'status', status: 500 });
  const fields = { events: ['message.created'], signature_key: key };
  const feed = new Feed(source);
  const { id } = await webhooks(hub, 'subscribe', { ...fields, url: receiver.url('/dead') });
  // What taking in so many messages costs is no matter of webhooks: it is over before the endpoint has them behind it.
  await webhooks(hub, 'unsubscribe', { id });
  while (feed.pushed < events) await feed.push(batch);
  await wait(settle);
  const before = anonymous(hub);
  await webhooks(hub, 'update', { id, resume: true });
  const isGivenUp = async (): Promise<boolean> => (await webhooks(hub, 'info', { id })).state === 'backingOff';
  await until('the endpoint is given up', isGivenUp);
  await wait(settle);
  const behind = anonymous(hub);
  log(`${feed.pushed} events behind; ${before.toFixed(0)} MB before, ${behind.toFixed(0)} MB with them`);

  await webhooks(hub, 'subscribe', { ...fields, url: other.url('/live') });
  const without: Spread[] = [];
  const beside: Spread[] = [];
  for (let round = 0; round < rounds; round++) {
    await webhooks(hub, 'unsubscribe', { id });
    without.push(await latency(feed, other, roundMs));
    await webhooks(hub, 'update', { id, resume: true });
    beside.push(await latency(feed, other, roundMs));
    log(`without ${JSON.stringify(without.at(-1))}, beside it ${JSON.stringify(beside.at(-1))}`);
  }
  const after = anonymous(hub);
  const returned = await comeBack(receiver, feed.pushed);
  const { judgement } = judge(receiver.receipts(), await eventsOf(hub, 'message.created'), []);
  return {
    without: median(without),
    beside: median(beside),
    memory: { before, behind, after },
    ...returned,
    judgement,
    received: succeeded(receiver).length,
  };
}

/** Pushes messages with a number each. */
class Feed {
  readonly #source: SourceClient;
  pushed = 0;

  constructor(source: SourceClient) {
    this.#source = source;
  }

  async push(count: number): Promise<void> {
    const { status } = await ingest(this.#source, this.pushed, this.pushed + count, conversations);
    if (status !== 200) throw new Error(`the ingest was answered with ${status}`);
    this.pushed += count;
  }
}

const succeeded = (receiver: ReceiverProcess) => receiver.receipts().filter(({ answered }) => answered === 200);

/** How long after its event a delivery is received, at 200 events a second. */
async function latency(feed: Feed, other: ReceiverProcess, roundMs: number): Promise<Spread> {
  const from = other.calls;
  const start = feed.pushed;
  for (const end = Date.now() + roundMs; Date.now() < end; await wait(tick)) await feed.push(perTick);
  await until('the other subscription has all', () => other.calls === from + feed.pushed - start);
  const ages = other.receipts().slice(from);
  return spread(ages.map(({ at, timestamp }) => at - timestamp));
}

/** Nobody tells the hub that the endpoint is back. */
async function comeBack(receiver: ReceiverProcess, count: number): Promise<{ noticedIn: number; caughtUpIn: number }> {
  await receiver.behave('/dead', { kind: 'ok' });
  const back = Date.now();
  await until('all of the backlog', () => succeeded(receiver).length >= count, longestCatchUp);
  const times = succeeded(receiver).map(({ at }) => at);
  return { noticedIn: (times[0]! - back) / 1_000, caughtUpIn: (times.at(-1)! - times[0]!) / 1_000 };
}

/** Resident memory that is no page of a file, in MB. */
function anonymous(hub: HubProcess): number {
  const status = readFileSync(`/proc/${hub.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

function spread(values: number[]): Spread {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function median(rounds: Spread[]): Spread {
  return { p50: spread(rounds.map(({ p50 }) => p50)).p50, p99: spread(rounds.map(({ p99 }) => p99)).p50 };
}
