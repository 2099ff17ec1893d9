import { expect, test } from 'vitest';
import { ActorSystem } from '../_support/actor-system.ts';
import { Dispatching, ingest, receiveWebhooks, subscribe, taken, texts } from './webhooks-support.ts';

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

test('events arrive in order, one of a lane at a time', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks(() => new Promise((done) => setImmediate(done, 200)));
  await subscribe(system, receiver.url);
  for (let n = 0; n < 5; n++) await ingest(system, `contact-${n}`, texts(40));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => receiver.receipts.length >= 200);
  expect(receiver.peakOfOne).toBe(1);
  expect(receiver.peak).toBeGreaterThan(1);
  expect([...taken(receiver.receipts).values()].map((seqs) => seqs.length)).toEqual([40, 40, 40, 40, 40]);
  for (const seqs of taken(receiver.receipts).values()) expect(seqs).toEqual(sorted(seqs));
});

test('an event that comes during a call waits for its end', async () => {
  await using system = new ActorSystem();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using receiver = await receiveWebhooks(() => gate.then(() => 200));
  await subscribe(system, receiver.url);
  await ingest(system, 'ann', texts(1, 'first'));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => receiver.peak === 1);
  await ingest(system, 'ann', texts(3, 'later'), 'more');
  await dispatching.pass(500);
  expect([receiver.peakOfOne, dispatching.dispatcher.inFlight]).toEqual([1, 1]);
  open();
  await dispatching.until(() => receiver.receipts.length === 4);
  expect(receiver.receipts.map(({ text }) => text)).toEqual(['first1', 'later1', 'later2', 'later3']);
});

test('at most 64 calls of a subscription are under way', async () => {
  await using system = new ActorSystem();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using receiver = await receiveWebhooks(() => gate.then(() => 200));
  await subscribe(system, receiver.url);
  for (let n = 0; n < 100; n++) await ingest(system, `contact-${n}`, texts(2));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => receiver.peak === 64);
  expect(dispatching.dispatcher.inFlight).toBe(64);
  open();
  await dispatching.until(() => receiver.receipts.length === 200);
  expect(receiver.peak).toBe(64);
});

test('random failures keep the order and the ids', { timeout: 20_000 }, async () => {
  await using system = new ActorSystem();
  let n = 0;
  await using receiver = await receiveWebhooks(() => (++n % 3 === 0 ? 500 : 200));
  const subscriber = await subscribe(system, receiver.url);
  for (let contact = 0; contact < 4; contact++) await ingest(system, `contact-${contact}`, texts(30));
  await using dispatching = new Dispatching(system);
  await dispatching.until(
    () => taken(receiver.receipts).size === 4 && [...taken(receiver.receipts).values()].flat().length === 120,
    1_000,
  );
  for (const seqs of taken(receiver.receipts).values()) expect(seqs).toEqual(sorted(seqs));
  const ids = new Map<string, string>();
  for (const { id, conversation, seq } of receiver.receipts) {
    const event = `${conversation} ${seq}`;
    expect(ids.get(event) ?? id).toBe(id);
    ids.set(event, id);
  }
  await dispatching.until(() => subscriber.statuses().every((status) => status === 'delivered'));
});

test('a restart sends nothing again that was recorded', async () => {
  await using system = new ActorSystem();
  let hold = true;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using receiver = await receiveWebhooks(({ text }) => (hold && text === 's1' ? gate.then(() => 500) : 200));
  const subscriber = await subscribe(system, receiver.url);
  await ingest(system, 'slow', texts(3, 's'));
  await ingest(system, 'quick', texts(50, 'q'));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => subscriber.statuses().length === 50);
  expect(subscriber.work().ahead).toHaveLength(50);
  hold = false;
  const stopped = dispatching.stop();
  open();
  await stopped;
  await system.restart();
  dispatching.start();
  await dispatching.until(() => subscriber.statuses().filter((status) => status === 'delivered').length === 53);
  const quick = receiver.receipts.filter(({ text }) => text.startsWith('q'));
  expect(quick).toHaveLength(50);
});

test('what is behind a stuck lane goes on being read', async () => {
  await using system = new ActorSystem();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using receiver = await receiveWebhooks(({ text }) => (text === 's1' ? gate.then(() => 200) : 200));
  await subscribe(system, receiver.url);
  await ingest(system, 'stuck', texts(2, 's'));
  for (let n = 0; n < 7; n++) await ingest(system, `quick-${n}`, texts(100, 'q'));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => receiver.receipts.length === 700);
  open();
  await dispatching.until(() => receiver.receipts.length === 702);
  const stuck = receiver.receipts.filter(({ text }) => text.startsWith('s'));
  expect(stuck.map(({ text }) => text)).toEqual(['s1', 's2']);
});
