import { expect, test } from 'vitest';
import type { FeedPosition } from '#actors/journal/feed.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { elapse, eventsOf, expectSound, rowsOf } from './support.ts';
import { delivered, ingest, type Subscriber, subscriberOf } from './webhook-support.ts';

const hour = 60 * 60 * 1000;
const retention = { journal: hour };

const texts = (count: number): string[] => Array.from({ length: count }, (_, n) => `text ${n}`);

/** Lets all that is there become too old to be kept. */
const outlast = (system: ActorSystem): Promise<void> => elapse(system, hour * 1.2, hour / 32);

const infoOf = ({ reader, id }: Subscriber) => reader.webhooks.find(id);

const told = (system: ActorSystem) =>
  eventsOf(system).flatMap(({ type, payload }) => (type === 'webhook.updated' ? [payload['missed_events']] : []));

test('what retention takes unsent is counted and told', async () => {
  await using system = new ActorSystem({ retention });
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', texts(10));
  const items = subscriber.next();
  const cursor: FeedPosition = items[1]!.position;
  // Two are sent before the cursor, one behind it: seven are not.
  await subscriber.record([[items[5]!, delivered]], { cursor, ahead: [items[5]!.feedKey] });
  expect(infoOf(subscriber)).not.toHaveProperty('missed_events');
  await outlast(system);
  expect(infoOf(subscriber)).toMatchObject({ missed_events: 7 });
  expect(told(system)).toEqual([7]);
  expect(rowsOf(system.file).journal.map(({ type }) => type)).not.toContain('messages.ingest');
  expectSound(system);
});

test('what comes after a gap is there to be sent', async () => {
  await using system = new ActorSystem({ shards: 4, retention });
  const subscriber = await subscriberOf(system);
  for (const contact of ['ann', 'bob', 'cid', 'dan', 'eve']) await ingest(system, contact, ['lost']);
  await elapse(system, hour, hour / 32);
  for (const contact of ['ann', 'bob', 'cid']) await ingest(system, contact, ['kept'], 'kept');
  await elapse(system, hour * 0.3, hour / 32);
  expect(infoOf(subscriber)).toMatchObject({ missed_events: 5 });
  expect(subscriber.next()).toHaveLength(3);
  expectSound(system);
});

test('one that has sent everything misses nothing', async () => {
  await using system = new ActorSystem({ retention });
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', texts(10));
  await subscriber.record([], { cursor: subscriber.reader.feed.end() });
  await outlast(system);
  expect(infoOf(subscriber)).not.toHaveProperty('missed_events');
  expect(told(system)).toEqual([]);
});

test('a gap goes on while it lasts, and ends with a new start', async () => {
  await using system = new ActorSystem({ retention });
  const subscriber = await subscriberOf(system);
  await subscriber.send('webhook.unsubscribe');
  for (const prefix of ['a', 'b']) {
    await ingest(system, 'ann', texts(3), prefix);
    await outlast(system);
  }
  // Nobody listens: the count is enough.
  expect(told(system)).toEqual([]);
  await subscriber.update({ resume: true });
  expect(infoOf(subscriber)).toMatchObject({ missed_events: 6 });
  await subscriber.send('webhook.unsubscribe');
  await subscriber.update({});
  expect(infoOf(subscriber)).not.toHaveProperty('missed_events');
});

test('more events than one command counts are counted', { timeout: 30_000 }, async () => {
  await using system = new ActorSystem({ retention });
  const subscriber = await subscriberOf(system);
  for (let n = 0; n < 4_500; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => ingest(system, 'ann', ['hi'], `${n + i}`)));
  }
  await outlast(system);
  await elapse(system, 10_000, 20);
  expect(infoOf(subscriber)).toMatchObject({ missed_events: 4_500 });
  expect(told(system)).toEqual([4_500]);
});
