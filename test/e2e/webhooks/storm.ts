import { HubProcess } from '../../_support/hub-process.ts';
import { SourceClient } from '../../_support/source-client.ts';
import { type Counts, type Judgement, judge } from './judgement.ts';
import { JumpingClock, ReceiverProcess } from './receiver-process.ts';
import { deliveriesOf, eventsOf, ingest, webhooks } from './support.ts';

export interface StormOptions {
  messages: number;
  conversations: number;
  /** The share of calls that the receiver fails. */
  failing: number;
  kills: number;
  shards: number;
  log(line: string): void;
}

export interface StormReport extends Counts {
  judgement: Judgement;
  kills: number;
  /** How often the clock was moved on because every conversation waited for its next try. */
  jumps: number;
  /** Deliveries that the hub calls scheduled or dead at the end. */
  unfinished: number;
}

const batch = 100;
/** Longer than any wait of the schedule: 10 h and 20 %. */
const jump = 12.5 * 3_600_000;
/** Without a call for so long, every conversation waits. A call under way while the clock jumps would look forged. */
const quiet = 300;
/** A busy machine needs this long at most from a jump to the first call, in ms. */
const slowest = 3_000;
const limit = 600_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Messages into a receiver that fails at random, under kills of the hub; the clock jumps over the waits. */
export async function storm(options: StormOptions): Promise<StormReport> {
  const { messages, conversations, kills, log } = options;
  const key = 'a key of characters'.replaceAll(' ', '-');
  using clock = new JumpingClock();
  await using receiver = await ReceiverProcess.start(key, clock.environment);
  const kept = { PARLEY_RETENTION_JOURNAL: '9999d', PARLEY_RETENTION_DELIVERIES: '9999d' };
  await using hub = await HubProcess.start({ shards: options.shards, env: { ...clock.environment, ...kept } });
  await using source = await SourceClient.register(hub, 'storm');
  await receiver.behave('/hook', { kind: 'flaky', share: options.failing });
  const url = receiver.url('/hook');
  const { id } = await webhooks(hub, 'subscribe', { url, events: ['message.created'], signature_key: key });

  const pushed = push(source, messages, conversations);
  const marks: number[] = [];
  let jumps = 0;
  let seen = -1;
  let jumpedAfter = -1;
  let changedAt = Date.now();
  for (const until = Date.now() + limit; ; await wait(20)) {
    const receipts = receiver.receipts();
    const delivered = new Set(receipts.filter(({ answered }) => answered === 200).map((receipt) => receipt.id)).size;
    if (marks.length < kills && delivered > ((marks.length + 1) * messages) / (kills + 2)) {
      marks.push(await killAndStart(hub, receiver));
      log(`kill ${marks.length}: ${delivered} of ${messages} delivered`);
    }
    if (delivered === messages && marks.length === kills) break;
    if (Date.now() > until) break;
    if (receipts.length !== seen) {
      seen = receipts.length;
      changedAt = Date.now();
    } else if (Date.now() - changedAt > (jumpedAfter === seen ? slowest : quiet)) {
      await clock.jump(jump);
      jumps++;
      jumpedAfter = seen;
      changedAt = Date.now();
    }
  }
  await pushed;
  const unfinished = await settled(hub, id);
  const { judgement, counts } = judge(receiver.receipts(), await eventsOf(hub, 'message.created'), marks);
  return { ...counts, judgement, kills: marks.length, jumps, unfinished };
}

/** Repeats what was not answered, as a careful source does. */
async function push(source: SourceClient, messages: number, conversations: number): Promise<void> {
  for (let from = 0; from < messages; from += batch) {
    for (;;) {
      const answer = await ingest(source, from, Math.min(messages, from + batch), conversations).catch(() => null);
      if (answer?.status === 200) break;
      if (answer !== null && answer.status < 500) throw new Error(JSON.stringify(answer));
      await wait(50);
    }
  }
}

/** @returns the number of receipts when the hub was gone */
async function killAndStart(hub: HubProcess, receiver: ReceiverProcess): Promise<number> {
  await hub.kill();
  // What the kernel held for the receiver is read within this time.
  await wait(100);
  const mark = receiver.calls;
  await hub.start();
  return mark;
}

/** The last record may be under way. @returns how many deliveries stay unfinished */
async function settled(hub: HubProcess, id: string): Promise<number> {
  for (let tries = 0; ; tries++) {
    const scheduled = await deliveriesOf(hub, id, 'scheduled');
    const dead = await deliveriesOf(hub, id, 'dead');
    if (scheduled.length + dead.length === 0 || tries === 50) return scheduled.length + dead.length;
    await wait(100);
  }
}
