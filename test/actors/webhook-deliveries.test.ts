import { expect, test } from 'vitest';
import { ActorSystem } from '../_support/actor-system.ts';
import { elapse, expectSound, failureOf, rowsOf, stepsOf } from './support.ts';
import {
  delivered,
  failed,
  ingest,
  type Item,
  Subscriber,
  subscriberOf,
  throttled,
  withMessages,
} from './webhook-support.ts';
import { itemsOf } from '../_support/pages.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const deliverySteps = (system: ActorSystem) =>
  stepsOf(system.file).filter(({ machine }) => machine === 'webhook-delivery');

test('a delivery that succeeds at once needs no machine', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2']);
  const steps = stepsOf(system.file).length;
  await subscriber.record(
    items.map((item) => [item, delivered]),
    { cursor: items[1]!.position, caughtUp: true },
  );
  const { webhook_delivery, webhook_attempt } = rowsOf(system.file);
  expect(stepsOf(system.file)).toHaveLength(steps);
  expect(webhook_delivery).toMatchObject([
    { status: 'delivered', machine: null },
    { status: 'delivered', machine: null },
  ]);
  expect(webhook_attempt).toMatchObject([
    { delivery: webhook_delivery[0]!.key, duration_ms: 12, status: 200, reason: null, answer: 'thanks' },
    { delivery: webhook_delivery[1]!.key },
  ]);
  expect(subscriber.work()).toMatchObject({ cursor: items[1]!.position, ahead: [], state: 'idle' });
  expect(subscriber.next()).toEqual([]);
  expectSound(system);
});

test('eight failures, waits between them, then it is dead', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2']);
  const [item, other] = items as [Item, Item];
  for (const wait of [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour]) {
    // A success now and then: it is the delivery that fails, not the endpoint.
    await subscriber.record([
      [item, failed],
      [other, delivered],
    ]);
    expect(subscriber.heads()).toMatchObject([{ feedKey: item.feedKey, ready: false }]);
    await subscriber.advance(wait - 1);
    expect(subscriber.heads()).toMatchObject([{ ready: false }]);
    await system.restart();
    await subscriber.advance(1);
    expect(subscriber.heads()).toMatchObject([{ ready: true }]);
  }
  await subscriber.record([[item, failed]]);
  expect(subscriber.heads()).toEqual([]);
  expect(subscriber.statuses()).toEqual(['dead', 'delivered']);
  expect(rowsOf(system.file).timer).toEqual([]);
  expectSound(system);
});

test('jitter spreads a wait by a fifth either way', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2']);
  await subscriber.record([
    [items[0]!, { kind: 'failed', jitter: 0 }],
    [items[1]!, { kind: 'failed', jitter: 0.999999 }],
  ]);
  const waits = rowsOf(system.file).timer.map(({ due }) => Number(due) - system.clock.now());
  expect(waits.sort()).toEqual([4_000, 6_000]);
});

test('a throttled delivery waits as told and loses no try', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1']);
  for (let n = 0; n < 9; n++) {
    await subscriber.record([[items[0]!, throttled(7_000)]]);
    await subscriber.advance(6_999);
    expect(subscriber.heads()).toMatchObject([{ ready: false }]);
    await subscriber.advance(1);
  }
  expect(subscriber.heads()).toMatchObject([{ ready: true }]);
  await subscriber.record([[items[0]!, delivered]]);
  expect(subscriber.statuses()).toEqual(['delivered']);
  expectSound(system);
});

test('an endpoint that throttles everything is left alone', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1']);
  const ten = Array.from({ length: 10 }, (): [Item, ReturnType<typeof throttled>] => [items[0]!, throttled(minute)]);
  expect(await subscriber.record(ten)).toBe('backingOff');
  await subscriber.advance(minute - 1);
  expect(subscriber.work().probing).toBe(false);
  await subscriber.advance(1);
  expect(subscriber.work().probing).toBe(true);
});

test('a probe before its time costs a delivery nothing', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1']);
  await subscriber.record([[items[0]!, failed]]);
  const { timer } = rowsOf(system.file);
  const steps = deliverySteps(system);
  await subscriber.record([[items[0]!, failed]]);
  expect(rowsOf(system.file).timer).toEqual(timer);
  expect(deliverySteps(system)).toEqual(steps);
  expect(rowsOf(system.file).webhook_attempt).toHaveLength(2);
});

test('what waits behind a failure is a row without attempt', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2', '3']);
  const [first, ...rest] = items as [Item, Item, Item];
  await subscriber.record([[first, failed]], { deferred: rest, cursor: rest[1]!.position });
  expect(subscriber.heads()).toMatchObject([{ feedKey: first.feedKey, lane: first.lane, ready: false }]);
  await subscriber.advance(5 * second);
  for (const item of items) {
    expect(subscriber.heads()).toMatchObject([{ feedKey: item.feedKey, ready: true }]);
    await subscriber.record([[item, delivered]]);
  }
  expect(subscriber.heads()).toEqual([]);
  expect(rowsOf(system.file)).toMatchObject({ timer: [], webhook_attempt: { length: 4 } });
  expectSound(system);
});

test('each lane has one head, the oldest first', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  for (const [n, contact] of ['ann', 'bob', 'ann', 'cid'].entries())
    await ingest(system, contact, ['1', '2'], `${contact}${n}`);
  const items = subscriber.next();
  await subscriber.record(
    [
      [items[6]!, failed],
      [items[2]!, failed],
    ],
    { deferred: [items[0]!, items[4]!, items[3]!] },
  );
  expect(subscriber.heads().map(({ feedKey, ready }) => [feedKey, ready])).toEqual([
    [items[0]!.feedKey, true],
    [items[2]!.feedKey, false],
    [items[6]!.feedKey, false],
  ]);
});

test('a record of another generation moves no cursor', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2', '3']);
  const [a, b, c] = items as [Item, Item, Item];
  const { generation, cursor } = subscriber.work();
  await subscriber.record([[a, delivered]], { cursor: a.position, ahead: [c.feedKey] });
  expect(subscriber.work().ahead).toEqual([c.feedKey]);
  await system.commands().send('webhook-subscription', subscriber.id, 'webhook.replay-from', { cursor });
  expect(subscriber.work()).toMatchObject({ cursor, ahead: [], generation: generation + 1 });
  await subscriber.record([[b, delivered]], { generation, cursor: c.position, deferred: [c], ahead: [1] });
  expect(subscriber.work()).toMatchObject({ cursor, ahead: [] });
  expect(subscriber.statuses()).toEqual(['delivered', 'delivered']);
  expect(subscriber.next()).toEqual(items);
});

test('a late record of another runner takes no progress back', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2', '3', '4', '5']);
  const [a, b, c, d, e] = items as [Item, Item, Item, Item, Item];
  await subscriber.record([[a, delivered]], { cursor: b.position, ahead: [d.feedKey] });
  await subscriber.record([[a, delivered]], { cursor: a.position, ahead: [b.feedKey, e.feedKey] });
  expect(subscriber.work()).toMatchObject({ cursor: b.position, ahead: [e.feedKey, d.feedKey] });
  await subscriber.record([[c, delivered]], { cursor: d.position, ahead: [e.feedKey] });
  expect(subscriber.work()).toMatchObject({ cursor: d.position, ahead: [e.feedKey] });
});

test('a late failure reopens nothing that is over', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2', '3']);
  const [a, b, c] = items as [Item, Item, Item];
  await subscriber.record(
    [
      [a, delivered],
      [c, delivered],
    ],
    { cursor: a.position, ahead: [c.feedKey] },
  );
  await subscriber.record([[a, failed]], { deferred: [c] });
  expect(subscriber.statuses()).toEqual(['delivered', 'delivered']);
  expect(rowsOf(system.file).webhook_attempt).toHaveLength(3);
  // What is not over yet goes on.
  await subscriber.record([[b, failed]]);
  expect(subscriber.statuses()).toEqual(['delivered', 'delivered', 'scheduled']);
});

test('a delivered event that is replayed keeps its id', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1']);
  const [item] = items as [Item];
  await subscriber.record([[item, delivered]]);
  await subscriber.replay(item);
  expect(subscriber.heads()).toMatchObject([{ feedKey: item.feedKey, ready: true }]);
  await subscriber.record([[item, failed]]);
  await subscriber.advance(5 * second);
  await subscriber.record([[item, delivered]]);
  await subscriber.replay(item);
  await subscriber.record([[item, delivered]]);
  const shown = itemsOf(subscriber.reader.webhooks.deliveries(subscriber.id, { limit: 10, from: null }, {}));
  expect(shown).toMatchObject([{ id: subscriber.deliveryId(item), status: 'delivered', attempts: { length: 4 } }]);
  expectSound(system);
});

test('a dead delivery that is replayed has all its tries', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2']);
  const [item, other] = items as [Item, Item];
  await subscriber.record([
    [item, { kind: 'expired' }],
    [other, delivered],
  ]);
  expect(subscriber.statuses()).toEqual(['dead', 'delivered']);
  await subscriber.replay(item);
  for (let n = 0; n < 8; n++) {
    expect(subscriber.statuses()).toEqual(['scheduled', 'delivered']);
    await subscriber.record([
      [item, failed],
      [other, delivered],
    ]);
    if (n < 7) await subscriber.advance(12 * hour);
    await subscriber.advance(minute);
  }
  expect(subscriber.statuses()).toEqual(['dead', 'delivered']);
  expectSound(system);
});

test('an event reached again by a moved cursor is tried anew', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2', '3']);
  const [a, b, c] = items as [Item, Item, Item];
  await subscriber.record([
    [a, delivered],
    [b, delivered],
    [c, delivered],
  ]);
  await subscriber.record(
    [
      [a, failed],
      [c, delivered],
    ],
    { deferred: [b] },
  );
  expect(subscriber.statuses()).toEqual(['scheduled', 'scheduled', 'delivered']);
  expect(subscriber.heads()).toMatchObject([{ feedKey: a.feedKey, ready: false }]);
  expectSound(system);
});

test('a delivery of another subscription can not be replayed', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1']);
  await subscriber.record([[items[0]!, delivered]]);
  const other = new Subscriber(system);
  await other.subscribe();
  expect(await failureOf(other.replay(subscriber.deliveryId(items[0]!)))).toBe('not_found');
});

test('finished deliveries go with their attempts in time', async () => {
  await using system = new ActorSystem({ retention: { journal: 1_000 * hour, deliveries: 10 * hour } });
  const { subscriber, items } = await withMessages(system, ['1', '2', '3']);
  const [a, b, c] = items as [Item, Item, Item];
  await subscriber.record(
    [
      [a, delivered],
      [b, failed],
    ],
    { deferred: [c] },
  );
  await subscriber.send('webhook.unsubscribe');
  // Their age is counted by marks, sixteen in the period.
  const mark = (10 * hour) / 16;
  await elapse(system, 10 * hour, mark / 2);
  expect(subscriber.statuses()).toEqual(['delivered', 'scheduled', 'scheduled']);
  await elapse(system, 2 * mark, mark / 2);
  expect(subscriber.statuses()).toEqual(['scheduled', 'scheduled']);
  expect(rowsOf(system.file).webhook_attempt).toHaveLength(1);
  await subscriber.record([
    [b, delivered],
    [c, { kind: 'expired' }],
  ]);
  await subscriber.advance(10 * second);
  await subscriber.advance(10 * second);
  expect(rowsOf(system.file)).toMatchObject({ webhook_delivery: [], webhook_attempt: [] });
  expectSound(system);
});
