import { expect, test } from 'vitest';
import type { EventJson } from '#actors/representation.ts';
import { keysPerShard } from '#actors/store/tables.ts';
import { ActorSystem, connectTestChannel } from '../_support/actor-system.ts';
import { expectSound, failureOf, rowsOf } from './support.ts';
import { delivered, failed, ingest, type Item, Subscriber, subscriberOf, throttled } from './webhook-support.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A subscriber with new messages of one conversation. */
async function withMessages(system: ActorSystem, texts: string[]): Promise<{ subscriber: Subscriber; items: Item[] }> {
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', texts);
  return { subscriber, items: subscriber.next() };
}

test('a delivery that succeeds at once needs no machine', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await withMessages(system, ['1', '2']);
  const steps = rowsOf(system.file).history.length;
  await subscriber.record(
    items.map((item) => [item, delivered]),
    { cursor: items[1]!.position, caughtUp: true },
  );
  const { history, webhook_delivery, webhook_attempt } = rowsOf(system.file);
  expect(history).toHaveLength(steps);
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
  const { timer, history } = rowsOf(system.file);
  await subscriber.record([[items[0]!, failed]]);
  expect(rowsOf(system.file).timer).toEqual(timer);
  expect(rowsOf(system.file).history.filter(({ machine }) => machine === 'webhook-delivery')).toEqual(
    history.filter(({ machine }) => machine === 'webhook-delivery'),
  );
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
  const { items: shown } = subscriber.reader.webhooks.deliveries(subscriber.id, { limit: 10, from: null }, {});
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
  await using system = new ActorSystem({ retention: { feed: 1_000 * hour, deliveries: 10 * hour } });
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
  await subscriber.advance(9 * hour);
  await subscriber.advance(10 * second);
  expect(subscriber.statuses()).toEqual(['delivered', 'scheduled', 'scheduled']);
  await subscriber.advance(hour);
  await subscriber.advance(10 * second);
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

test('an event is read as one Event, whatever its text', async () => {
  await using system = new ActorSystem({ shards: 4 });
  const text = 'süß 😀 "quoted" \\ \u2028 \u0000';
  const { subscriber, items } = await withMessages(system, [text]);
  const body = subscriber.reader.webhookDeliveries.event(items[0]!.feedKey, items[0]!.position)!;
  const [entry] = subscriber.reader.feed.read({ after: [], limit: 100, types: ['message.created'] });
  const event = JSON.parse(body.body) as EventJson;
  expect(Object.keys(event)).toEqual(['type', 'payload', 'timestamp', 'seq', 'cursor']);
  expect({ ...event, cursor: '' }).toEqual({ ...entry!.event, cursor: '' });
  expect(body.type).toBe('message.created');
  expect(subscriber.reader.feed.decodeCursor(event.cursor)).toEqual(items[0]!.position);
  expect(subscriber.reader.webhookDeliveries.event(4 * keysPerShard)).toBeNull();
});

test('reading passes over what is not wanted, to the end', async () => {
  await using system = new ActorSystem({ shards: 4 });
  await connectTestChannel(system.commands());
  const subscriber = new Subscriber(system);
  await subscriber.subscribe({ start: [], events: ['message.created'] });
  const contacts = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'];
  for (const contact of contacts) await ingest(system, contact, ['1', '2', '3']);
  const { read } = subscriber.reader.webhookDeliveries;
  const seen: number[] = [];
  let position = subscriber.work().cursor;
  for (;;) {
    const { items, end } = read(position, ['message.created'], 5);
    expect(items.length).toBeLessThanOrEqual(5);
    seen.push(...items.map(({ feedKey }) => feedKey));
    if (items.length === 0 && String(end) === String(position)) break;
    position = end;
  }
  expect(seen).toHaveLength(18);
  expect(new Set(seen)).toEqual(new Set(subscriber.next().map(({ feedKey }) => feedKey)));
  expect(position).toEqual(subscriber.reader.feed.end());
  for (const item of subscriber.next(7)) {
    const { items } = read(item.position, ['message.created'], 100);
    expect(items.map(({ feedKey }) => feedKey)).not.toContain(item.feedKey);
  }
});

test('deliveries are paged newest first, by status too', async () => {
  await using system = new ActorSystem();
  const texts = Array.from({ length: 30 }, (_, n) => `${n}`);
  const { subscriber, items } = await withMessages(system, texts);
  const outcomes = [delivered, failed, { kind: 'expired' } as const];
  await subscriber.record(items.map((item, n) => [item, outcomes[n % 3]!]));
  const { deliveries } = subscriber.reader.webhooks;
  const walk = (filter: { status?: 'delivered' | 'scheduled' | 'dead' }): string[] => {
    const ids: string[] = [];
    for (let from: number[] | null = null; ; ) {
      const page = deliveries(subscriber.id, { limit: 7, from: from && { key: from, direction: 'after' } }, filter);
      expect(page.total).toBe(filter.status === undefined ? 30 : 10);
      ids.push(...page.items.map(({ id }) => id));
      if (page.after === null) return ids;
      from = [...page.after];
    }
  };
  const newest = items.map((item) => subscriber.deliveryId(item)).reverse();
  expect(walk({})).toEqual(newest);
  expect(walk({ status: 'dead' })).toEqual(newest.filter((_, n) => n % 3 === 0));
  expect(walk({ status: 'delivered' })).toEqual(newest.filter((_, n) => n % 3 === 2));
  const [first] = deliveries(subscriber.id, { limit: 1, from: null }, {}).items;
  expect(first).toMatchObject({ event: { type: 'message.created', seq: 30 }, status: 'dead' });
  expect(first!.attempts).toMatchObject([{ at: '2026-01-01T00:00:00.000Z', duration_ms: 12, status: 200 }]);
});

test('what is undelivered is counted from the first wanted', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  const depth = () => subscriber.reader.webhooks.queueDepth();
  const oldest = () => subscriber.reader.webhooks.oldestUndelivered(subscriber.id);
  expect([depth(), oldest()]).toEqual([[{ subscription: subscriber.id, scheduled: 0, behind: 0 }], null]);
  const start = system.clock.now();
  await ingest(system, 'ann', ['1']);
  await subscriber.advance(1_000);
  await ingest(system, 'bob', ['1', '2']);
  const items = subscriber.next();
  expect(oldest()).toBe(start);
  expect(depth()[0]!.behind).toBeGreaterThan(3);
  await subscriber.record([[items[0]!, failed]], { deferred: [], cursor: items[0]!.position });
  expect(oldest()).toBe(start);
  await subscriber.record([[items[0]!, delivered]]);
  expect(oldest()).toBe(start + 1_000);
  await subscriber.record(
    items.slice(1).map((item) => [item, delivered]),
    { cursor: items[2]!.position },
  );
  expect([depth()[0]!.behind, oldest()]).toEqual([0, null]);
  await subscriber.send('webhook.unsubscribe');
  expect(depth()).toEqual([]);
});

test('lanes are conversations and channels', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system, { events: null });
  await ingest(system, 'ann', ['1']);
  await connectTestChannel(system.commands());
  const actors = rowsOf(system.file).actor;
  const kinds = subscriber.next().map(({ lane }) => actors.find(({ key }) => key === lane)!.kind);
  expect(new Set(kinds)).toEqual(new Set(['conversation', 'channel']));
});
