import { expect, test } from 'vitest';
import { ActorSystem } from '../_support/actor-system.ts';
import type { Subscriber } from '../actors/webhook-support.ts';
import { Dispatching, ingest, receiveWebhooks, subscribe, taken, texts } from './webhooks-support.ts';
import { itemsOf } from '../_support/pages.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const isDelivered = (subscriber: Subscriber, count: number) => (): boolean =>
  subscriber.statuses().filter((status) => status === 'delivered').length === count;

test('a dead endpoint is left alone and gets all in order later', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks(() => 500);
  const subscriber = await subscribe(system, receiver.url);
  for (let n = 0; n < 12; n++) await ingest(system, `contact-${n}`, texts(60));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => subscriber.work().state === 'backingOff');
  await dispatching.pass(second);
  expect(receiver.receipts.length).toBeLessThan(64 + 10);
  expect(dispatching.dispatcher.open).toBe(0);
  expect(dispatching.dispatcher.inFlight).toBe(0);
  await dispatching.pass(20 * minute, second);
  expect(receiver.receipts.length).toBeLessThan(64 + 40);
  receiver.answer = () => 200;
  const arrived = (): number => [...taken(receiver.receipts).values()].flat().length;
  await dispatching.until(() => arrived() >= 720, second);
  const seqs = [...taken(receiver.receipts).values()];
  expect(seqs).toHaveLength(12);
  for (const ofOne of seqs) {
    expect(ofOne).toHaveLength(60);
    expect(ofOne).toEqual([...ofOne].sort((a, b) => a - b));
  }
});

test('five days of failures suspend; subscribing again goes on', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks(() => 500);
  const subscriber = await subscribe(system, receiver.url);
  for (let n = 0; n < 12; n++) await ingest(system, `contact-${n}`, ['one']);
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => subscriber.work().state === 'backingOff');
  await dispatching.pass(hour, minute);
  // Nothing succeeds meanwhile, whether it is tried or not.
  await dispatching.stop();
  await dispatching.until(() => subscriber.work().state === 'suspended', 12 * hour);
  dispatching.start();
  const { length } = receiver.receipts;
  await ingest(system, 'late', ['two']);
  await dispatching.pass(hour, minute);
  expect(receiver.receipts).toHaveLength(length);
  const events = subscriber.reader.feed.read({ after: [0], limit: 1_000, types: ['webhook.updated'] }).entries;
  expect(events.map(({ event }) => event.payload['state'])).toContain('suspended');
  receiver.answer = () => 200;
  await subscriber.subscribe({ url: receiver.url });
  await dispatching.until(() => receiver.receipts.some(({ text, status }) => text === 'two' && status === 200));
});

test('a success among failures keeps the endpoint healthy', async () => {
  await using system = new ActorSystem();
  let n = 0;
  await using receiver = await receiveWebhooks(() => (++n % 5 === 0 ? 200 : 500));
  const subscriber = await subscribe(system, receiver.url);
  for (let contact = 0; contact < 30; contact++) await ingest(system, `contact-${contact}`, ['one']);
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => receiver.receipts.length >= 30);
  await dispatching.pass(second);
  expect(['idle', 'delivering']).toContain(subscriber.work().state);
});

test('a delivery that fails eight times is dead; its lane goes on', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks(({ text }) => (text === 'poison' ? 500 : 200));
  const subscriber = await subscribe(system, receiver.url);
  await ingest(system, 'ann', ['poison', 'next']);
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => subscriber.statuses().includes('dead'), 12 * hour);
  expect(receiver.receipts.filter(({ text }) => text === 'poison')).toHaveLength(8);
  await dispatching.until(() => receiver.receipts.some(({ text }) => text === 'next'));
});

test('429 with Retry-After holds the receiver back so long', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks(() => 429);
  receiver.headers = { 'Retry-After': '30' };
  await subscribe(system, receiver.url);
  await ingest(system, 'ann', ['one']);
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => receiver.receipts.length === 1);
  await ingest(system, 'bob', ['two']);
  await dispatching.pass(28 * second, second);
  expect(receiver.receipts).toHaveLength(1);
  receiver.answer = () => 200;
  await dispatching.until(() => receiver.receipts.length === 3, second);
});

test('410 unsubscribes', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks(() => 410);
  const subscriber = await subscribe(system, receiver.url);
  await ingest(system, 'ann', texts(3));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => subscriber.work().state === 'Unsubscribed');
  await dispatching.pass(minute, second);
  expect(receiver.receipts).toHaveLength(1);
  receiver.answer = () => 200;
  await subscriber.subscribe({ url: receiver.url, resume: true });
  await dispatching.until(isDelivered(subscriber, 3));
  expect(receiver.receipts.map(({ text }) => text)).toEqual(['m1', 'm1', 'm2', 'm3']);
});

test('a redirect is a failure and not followed', async () => {
  await using system = new ActorSystem();
  await using elsewhere = await receiveWebhooks();
  await using receiver = await receiveWebhooks(() => 307);
  receiver.headers = { Location: elsewhere.url };
  const subscriber = await subscribe(system, receiver.url);
  await ingest(system, 'ann', ['one']);
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => subscriber.statuses().length === 1);
  const items = itemsOf(subscriber.reader.webhooks.deliveries(subscriber.id, { limit: 10, from: null }, {}));
  expect(items[0]).toMatchObject({ status: 'scheduled', attempts: [{ status: 307, reason: null, answer: 'said' }] });
  expect(elsewhere.receipts).toEqual([]);
});

test('a receiver that hangs is cut off', async () => {
  await using system = new ActorSystem();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using receiver = await receiveWebhooks(() => gate.then(() => 200));
  const subscriber = await subscribe(system, receiver.url);
  await ingest(system, 'ann', ['one']);
  await using dispatching = new Dispatching(system, { timeoutMs: 100 });
  await dispatching.until(() => subscriber.statuses().length === 1);
  const items = itemsOf(subscriber.reader.webhooks.deliveries(subscriber.id, { limit: 10, from: null }, {}));
  expect(items[0]?.attempts[0]).toMatchObject({ status: null, reason: 'timeout', answer: '' });
  open();
});

test('one failing subscription delays no other', async () => {
  await using system = new ActorSystem();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const slow = [];
  await using hanging = await receiveWebhooks(() => gate.then(() => 200));
  for (let n = 0; n < 8; n++) slow.push(await subscribe(system, hanging.url));
  await using healthy = await receiveWebhooks();
  await subscribe(system, healthy.url);
  for (let n = 0; n < 80; n++) await ingest(system, `contact-${n}`, ['one']);
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => healthy.receipts.length === 80);
  expect(hanging.receipts).toEqual([]);
  expect(dispatching.dispatcher.inFlight).toBeGreaterThan(100);
  open();
  await dispatching.until(() => hanging.receipts.length === 8 * 80);
});
