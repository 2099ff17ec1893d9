import { afterAll, beforeAll, expect, test } from 'vitest';
import { HubProcess } from '../../_support/hub-process.ts';
import { SourceClient, until } from '../../_support/source-client.ts';
import type { Mode } from './receiver.ts';
import { JumpingClock, ReceiverProcess } from './receiver-process.ts';
import { judge } from './judgement.ts';
import { deliveriesOf, eventsOf, ingest, webhooks } from './support.ts';

const key = 'a-key-of-visible-characters';
const nothing = { missing: [], disordered: [], unstable: [], repeated: [], unverified: [] };
let hub: HubProcess;
let source: SourceClient;
let receiver: ReceiverProcess;
let pushed = 0;

beforeAll(async () => {
  hub = await HubProcess.start();
  source = await SourceClient.register(hub, 'shop');
  receiver = await ReceiverProcess.start(key);
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

/** Pushes one message each into `count` conversations. */
async function push(count: number): Promise<void> {
  expect((await ingest(source, pushed, pushed + count, count)).status).toBe(200);
  pushed += count;
}

async function subscribe(path: string, mode: Mode): Promise<string> {
  await receiver.behave(path, mode);
  const fields = { url: receiver.url(path), events: ['message.created'], signature_key: key };
  return (await webhooks(hub, 'subscribe', fields)).id;
}

async function attempts(id: string, count: number) {
  const all = async () => (await deliveriesOf(hub, id)).flatMap((delivery) => delivery.attempts);
  await until(`${count} attempts`, async () => (await all()).length >= count, 25_000);
  return all();
}

test('410 unsubscribes and says so in an event', async () => {
  const id = await subscribe('/gone', { kind: 'status', status: 410 });
  await push(1);
  await until('the end', async () => (await webhooks(hub, 'info', { id })).status === 'Unsubscribed');
  await push(1);
  const events = (await eventsOf(hub, 'webhook.updated')).filter(({ payload }) => payload['id'] === id);
  expect(events.map(({ payload }) => payload['status'])).toEqual(['Subscribed', 'Unsubscribed']);
  expect(JSON.stringify(events)).not.toContain(key);
  expect(receiver.receipts('/gone').length).toBe(1);
  await webhooks(hub, 'delete', { id });
});

test('Retry-After is obeyed', async () => {
  const id = await subscribe('/busy', { kind: 'status', status: 429, headers: { 'Retry-After': '2' } });
  await push(1);
  await until('a second try', () => receiver.receipts('/busy').length === 2);
  await receiver.behave('/busy', { kind: 'ok' });
  await until('the delivery', () => receiver.receipts('/busy').length === 3);
  const times = receiver.receipts('/busy').map(({ at }) => at);
  for (const [n, at] of times.slice(1).entries()) {
    expect(at - times[n]!).toBeGreaterThan(1_950);
    expect(at - times[n]!).toBeLessThan(4_000);
  }
  expect((await attempts(id, 3)).map(({ status }) => status)).toEqual([429, 429, 200]);
  await webhooks(hub, 'delete', { id });
});

test('a redirect is a failure', async () => {
  const location = receiver.url('/elsewhere');
  const id = await subscribe('/moved', { kind: 'status', status: 307, headers: { location } });
  await push(1);
  expect(await attempts(id, 1)).toMatchObject([{ status: 307, reason: null }]);
  expect((await deliveriesOf(hub, id)).map(({ status }) => status)).toEqual(['scheduled']);
  expect(receiver.receipts('/elsewhere')).toEqual([]);
  await webhooks(hub, 'delete', { id });
});

test('receivers that hang, drip or flood are cut', { timeout: 40_000 }, async () => {
  const hanging = await subscribe('/hang', { kind: 'hang' });
  const dripping = await subscribe('/drip', { kind: 'drip' });
  const flooding = await subscribe('/flood', { kind: 'flood' });
  const good = await subscribe('/good', { kind: 'ok' });
  await push(1);
  await until('the good one', () => receiver.receipts('/good').length === 1, 2_000);
  const [flood] = await attempts(flooding, 1);
  expect(flood).toMatchObject({ status: 200, answer: 'x'.repeat(1024) });
  expect(flood!.duration_ms).toBeLessThan(5_000);
  for (const id of [hanging, dripping]) {
    const [cut] = await attempts(id, 1);
    expect(cut).toMatchObject({ status: null, reason: 'timeout', answer: '' });
    expect(Math.abs(cut!.duration_ms - 15_000)).toBeLessThan(1_500);
  }
  for (const id of [hanging, dripping, flooding, good]) await webhooks(hub, 'delete', { id });
});

/** Resolves when no call came for a while: one that is under way while the clock jumps would look forged. */
async function noCallUnderWay(receiver: ReceiverProcess): Promise<void> {
  let calls = -1;
  let since = Date.now();
  await until('a moment without calls', () => {
    if (receiver.calls !== calls) since = Date.now();
    calls = receiver.calls;
    return Date.now() - since > 500;
  });
}

test('five days of failures suspend; subscribing goes on', { timeout: 60_000 }, async () => {
  using clock = new JumpingClock();
  await using late = await ReceiverProcess.start(key, clock.environment);
  await using patient = await HubProcess.start({ env: clock.environment });
  await using shop = await SourceClient.register(patient, 'shop');
  await late.behave('/dead', { kind: 'status', status: 500 });
  const fields = { url: late.url('/dead'), events: ['message.created'], signature_key: key };
  const { id } = await webhooks(patient, 'subscribe', fields);
  const stateOf = async (): Promise<string> => (await webhooks(patient, 'info', { id })).state;
  await ingest(shop, 0, 60, 12);
  await until('backing off', async () => (await stateOf()) === 'backingOff');
  // A day at a time: each time one probe fails.
  for (let day = 0; day < 5; day++) {
    await noCallUnderWay(late);
    const calls = late.calls;
    await clock.jump(24.1 * 3_600_000);
    await until('a probe, or the end', async () => late.calls > calls || (await stateOf()) === 'suspended');
    await until('waiting again', async () => /backingOff|suspended/.test(await stateOf()));
  }
  await until('suspended', async () => (await stateOf()) === 'suspended');
  const states = (await eventsOf(patient, 'webhook.updated')).map(({ payload }) => payload['state']);
  expect(states).toEqual(['idle', 'suspended']);

  await late.behave('/dead', { kind: 'ok' });
  await noCallUnderWay(late);
  const calls = late.calls;
  await clock.jump(24 * 3_600_000);
  expect((await ingest(shop, 60, 72, 12)).status).toBe(200);
  expect(await stateOf()).toBe('suspended');
  expect(late.calls).toBe(calls);
  await webhooks(patient, 'subscribe', { id, url: late.url('/dead') });
  const delivered = () => new Set(late.receipts().flatMap((one) => (one.answered === 200 ? [one.id] : []))).size;
  await until('every event', () => delivered() === 72);
  const { judgement } = judge(late.receipts(), await eventsOf(patient, 'message.created'), []);
  expect(judgement).toEqual(nothing);
});
