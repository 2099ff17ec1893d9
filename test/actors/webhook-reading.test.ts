import { expect, test } from 'vitest';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type { EventJson } from '#actors/representation.ts';
import { keysPerShard } from '#actors/store/table.ts';
import { ActorSystem, connectTestChannel, testChannel } from '../_support/actor-system.ts';
import { rowsOf } from './support.ts';
import { delivered, failed, ingest, type Item, Subscriber, subscriberOf, withMessages } from './webhook-support.ts';
import { itemsOf } from '../_support/pages.ts';

test('an event is read as one Event, whatever its text', async () => {
  await using system = new ActorSystem({ shards: 4 });
  const text = 'süß 😀 "quoted" \\ \u2028 \u0000';
  const { subscriber, items } = await withMessages(system, [text]);
  const [{ feedKey, position }] = items as [Item];
  const { events } = subscriber.reader.webhookDeliveries;
  const read = events([feedKey]).get(feedKey)!;
  const [entry] = subscriber.reader.feed.read({ after: [], limit: 100, types: ['message.created'] }).entries;
  const event = JSON.parse(read.text(position)) as EventJson;
  expect(Object.keys(event)).toEqual(['type', 'subject', 'payload', 'timestamp', 'seq', 'cursor']);
  expect({ ...event, cursor: '' }).toEqual({ ...entry!.event, cursor: '' });
  expect(read.type).toBe('message.created');
  expect(subscriber.reader.feed.decodeCursor(event.cursor)).toEqual(position);
  expect([...events([4 * keysPerShard, feedKey]).keys()]).toEqual([feedKey]);
});

test('a page of events ends when it is large, not before one', async () => {
  await using system = new ActorSystem();
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(700_000));
  const { subscriber, items } = await withMessages(system, texts);
  const keys = items.map(({ feedKey }) => feedKey);
  const { events } = subscriber.reader.webhookDeliveries;
  expect([...events(keys).keys()]).toEqual(keys.slice(0, 1));
  expect([...events(keys.slice(2)).keys()]).toEqual(keys.slice(2));
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

test.each([1, 2, 3, 100])('pages of %i hold what the feed holds, once', async (limit) => {
  await using system = new ActorSystem({ shards: 2 });
  await connectTestChannel(system.commands());
  const subscriber = new Subscriber(system);
  await subscriber.subscribe({ start: [], events: ['channel.updated', 'message.created'] });
  for (let n = 0; n < 6; n++) {
    await ingest(system, `contact-${n % 3}`, n % 2 === 0 ? ['1'] : ['1', '2', '3'], `${n}`);
    await system.commands().send('channel', testChannel, 'channel.disconnect', null);
    await connectTestChannel(system.commands());
  }
  const { read } = subscriber.reader.webhookDeliveries;
  for (const types of [['channel.updated'], ['message.created'], ['message.updated']] as const) {
    const seen: number[] = [];
    let position: FeedPosition = [];
    for (;;) {
      const { items, end } = read(position, types, limit);
      seen.push(...items.map(({ feedKey }) => feedKey));
      if (String(end) === String(position)) break;
      position = end;
    }
    const entries = subscriber.reader.feed.read({ after: [], limit: 1_000, types }).entries;
    expect(seen).toHaveLength(entries.length);
    expect(new Set(seen).size).toBe(entries.length);
    expect(position).toEqual(subscriber.reader.feed.end());
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
      ids.push(...itemsOf(page).map(({ id }) => id));
      if (page.after === null) return ids;
      from = [...page.after];
    }
  };
  const newest = items.map((item) => subscriber.deliveryId(item)).reverse();
  expect(walk({})).toEqual(newest);
  expect(walk({ status: 'dead' })).toEqual(newest.filter((_, n) => n % 3 === 0));
  expect(walk({ status: 'delivered' })).toEqual(newest.filter((_, n) => n % 3 === 2));
  const [first] = itemsOf(deliveries(subscriber.id, { limit: 1, from: null }, {}));
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
  const { conversation, channel } = rowsOf(system.file);
  const lanes = new Set(subscriber.next().map(({ lane }) => lane));
  expect(lanes).toEqual(new Set([conversation[0]!.key, channel[0]!.key]));
});
