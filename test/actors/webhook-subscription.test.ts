import { expect, test } from 'vitest';
import { ActorSystem } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf } from './support.ts';
import { delivered, failed, gone, ingest, Subscriber, subscriberOf, throttled } from './webhook-support.ts';

const day = 24 * 60 * 60 * 1_000;
const updates = (system: ActorSystem) => eventsOf(system).filter(({ type }) => type === 'webhook.updated');

test('a new subscription is subscribed, idle and shown', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system, {
    name: 'Ours',
    headers: { 'X-Api-Key': 'hush-hush-hush' },
    events: null,
  });
  const shown = {
    id: subscriber.id,
    name: 'Ours',
    url: 'https://receiver.test/hook',
    events: ['message.created', 'message.updated', 'conversation.updated', 'channel.updated'],
    headers: { 'X-Api-Key': 'hush...' },
    status: 'Subscribed',
    state: 'idle',
  };
  expect(subscriber.reader.webhooks.find(subscriber.id)).toEqual(shown);
  expect(subscriber.reader.webhooks.list()).toEqual([shown]);
  const { headers: _, ...payload } = shown;
  expect(updates(system)).toEqual([{ type: 'webhook.updated', seq: 1, payload }]);
  expectSound(system);
});

test('a new subscription without a url is refused', async () => {
  await using system = new ActorSystem();
  const subscriber = new Subscriber(system);
  const start = subscriber.reader.feed.end();
  const sent = system.commands().send('webhook-subscription', subscriber.id, 'webhook.subscribe', { start });
  expect(await failureOf(sent)).toBe('invalid_request');
  expect(rowsOf(system.file)).toMatchObject({ webhook_subscription: [], journal: [{ actor: 0, events: null }] });
});

test('commands of an unknown subscription are refused', async () => {
  await using system = new ActorSystem();
  const subscriber = new Subscriber(system);
  expect(await failureOf(subscriber.update({ name: 'x' }))).toBe('not_found');
  expect(await failureOf(subscriber.send('webhook.unsubscribe'))).toBe('not_found');
  expect(await failureOf(subscriber.send('webhook.delete'))).toBe('not_found');
  expect(await failureOf(subscriber.replay(subscriber.id))).toBe('not_found');
  expect(subscriber.reader.webhooks.find(subscriber.id)).toBeNull();
});

test('unsubscribing twice says so once; update subscribes', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await subscriber.send('webhook.unsubscribe');
  expect(await subscriber.send('webhook.unsubscribe')).toMatchObject({ subscription: { status: 'Unsubscribed' } });
  expect(await subscriber.update({ name: 'again' })).toMatchObject({
    subscription: { status: 'Subscribed', state: 'idle', name: 'again', url: 'https://receiver.test/hook' },
  });
  expect(await subscriber.update({})).toMatchObject({ subscription: { name: 'again' } });
  const said = updates(system).map(({ seq, payload }) => `${seq} ${payload.status}`);
  expect(said).toEqual(['1 Subscribed', '2 Unsubscribed', '3 Subscribed', '4 Subscribed']);
  expectSound(system);
});

const again = [
  ['subscribe', (subscriber: Subscriber, resume: object) => subscriber.subscribe(resume)],
  ['update', (subscriber: Subscriber, resume: object) => subscriber.update(resume)],
] as const;

/** With one delivery that backs off, unsubscribed, and one message more. */
async function paused(system: ActorSystem): Promise<Subscriber> {
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['before']);
  const [item] = subscriber.next();
  await subscriber.record([[item!, failed]], { cursor: item!.position });
  await subscriber.send('webhook.unsubscribe');
  await ingest(system, 'ann', ['missed'], 'later');
  return subscriber;
}

test.each(again)('%s with resume goes on from where it stood', async (_, subscribe) => {
  await using system = new ActorSystem();
  const subscriber = await paused(system);
  const { cursor } = subscriber.work();
  await subscribe(subscriber, { resume: true });
  expect(subscriber.work()).toMatchObject({ cursor, state: 'idle' });
  expect(subscriber.heads()).toMatchObject([{ ready: true }]);
  expect(subscriber.next()).toHaveLength(1);
});

test.each(again)('%s after a pause starts from now', async (_, subscribe) => {
  await using system = new ActorSystem();
  const subscriber = await paused(system);
  const [late] = subscriber.next();
  const { generation } = subscriber.work();
  await subscribe(subscriber, {});
  expect([subscriber.heads(), subscriber.next()]).toEqual([[], []]);
  // What a dispatcher still had to say of before the pause.
  await subscriber.record([[late!, failed]], { generation, cursor: [1] });
  expect([subscriber.heads(), subscriber.next()]).toEqual([[], []]);
  await ingest(system, 'ann', ['new'], 'last');
  expect(subscriber.next()).toHaveLength(1);
  await subscriber.advance(10_000);
  await subscriber.advance(10_000);
  expect(rowsOf(system.file)).toMatchObject({ webhook_delivery: [], webhook_attempt: [], timer: [] });
  expectSound(system);
});

test('subscribing without a pause moves nothing', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1']);
  await subscriber.subscribe();
  await subscriber.update({});
  expect(subscriber.next()).toHaveLength(1);
});

test('keys appear in no event and no answer', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system, { signatureKey: 'first-secret' });
  const { subscription } = await subscriber.update({ signatureKey: 'second-secret' });
  const seen = JSON.stringify([eventsOf(system), subscription, subscriber.reader.webhooks.list()]);
  expect(seen).not.toMatch(/first-secret|second-secret/);
});

test('the key before stays valid for the overlap', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system, { signatureKey: 'one' });
  await subscriber.update({ signatureKey: 'two' });
  expect(subscriber.work().signatureKeys).toEqual(['two', 'one']);
  await subscriber.update({ signatureKey: 'two', name: 'same key' });
  system.clock.advance(day - 1);
  expect(subscriber.work().signatureKeys).toEqual(['two', 'one']);
  system.clock.advance(1);
  expect(subscriber.work().signatureKeys).toEqual(['two']);
  await subscriber.update({ signatureKey: 'three', rotationOverlap: 0 });
  expect(subscriber.work().signatureKeys).toEqual(['three']);
});

test('ten failures in a row make the endpoint fail', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1']);
  const [item] = subscriber.next();
  for (let n = 0; n < 9; n++) expect(await subscriber.record([[item!, failed]])).toBe('delivering');
  await subscriber.record([[item!, delivered]]);
  for (let n = 0; n < 9; n++) expect(await subscriber.record([[item!, failed]])).toBe('delivering');
  expect(await subscriber.record([[item!, failed]])).toBe('backingOff');
  expectSound(system);
});

test('failures before a success of the same record are forgotten', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1']);
  const [item] = subscriber.next();
  const nine = Array.from({ length: 9 }, () => [item!, failed] as [typeof item & {}, typeof failed]);
  expect(await subscriber.record([...nine, [item!, delivered], ...nine])).toBe('delivering');
  expect(await subscriber.record([[item!, failed]])).toBe('backingOff');
});

test('a failing endpoint is probed after growing waits', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1']);
  const items = subscriber.next();
  await subscriber.breakDown(items);
  for (const wait of [5, 10, 20, 40, 80, 160, 300, 300, 300]) {
    await subscriber.advance(wait * 1_000 - 1);
    expect(subscriber.work()).toMatchObject({ state: 'backingOff', probing: false });
    await subscriber.advance(1);
    expect(subscriber.work()).toMatchObject({ state: 'delivering', probing: true });
    expect(await subscriber.record([[items[0]!, failed]])).toBe('backingOff');
  }
  expectSound(system);
});

test('a probe that succeeds makes every delivery due', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  for (const contact of ['ann', 'bob', 'cid']) await ingest(system, contact, ['1']);
  const items = subscriber.next();
  await subscriber.breakDown(items);
  expect(subscriber.heads().map(({ ready }) => ready)).toEqual([false, false, false]);
  await subscriber.advance(4_900);
  await subscriber.advance(100);
  await system.restart();
  expect(await subscriber.record([[items[0]!, delivered]])).toBe('delivering');
  expect(subscriber.heads().map(({ ready }) => ready)).toEqual([true, true]);
  expect(rowsOf(system.file).timer).toEqual([]);
  expectSound(system);
});

test('a wait that begins with the success is not cut short', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  for (const contact of ['ann', 'bob', 'cid']) await ingest(system, contact, ['1']);
  const [a, b, c] = subscriber.next();
  await subscriber.breakDown([a!, b!, c!]);
  const results: Parameters<typeof subscriber.record>[0] = [
    [b!, throttled(60_000)],
    [a!, delivered],
  ];
  expect(await subscriber.record(results)).toBe('delivering');
  const ready = () => subscriber.heads().map((head) => [head.feedKey, head.ready]);
  expect(ready()).toEqual([
    [b!.feedKey, false],
    [c!.feedKey, true],
  ]);
  await subscriber.advance(59_999);
  expect(ready()[0]).toEqual([b!.feedKey, false]);
  await subscriber.advance(1);
  expect(ready()[0]).toEqual([b!.feedKey, true]);
});

/** A subscriber with two events of one conversation, whose endpoint has just failed ten times. */
async function brokenDown(system: ActorSystem) {
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1', '2']);
  const items = subscriber.next();
  await subscriber.breakDown(items);
  return { subscriber, items };
}

test('five days of failures suspend and say so once', async () => {
  await using system = new ActorSystem();
  const { subscriber } = await brokenDown(system);
  // What is due is handled before the clock goes on.
  await subscriber.advance(5_000);
  await subscriber.advance(5 * day - 5_001);
  expect(subscriber.work()).toMatchObject({ state: 'delivering', probing: true });
  await subscriber.advance(1);
  expect(subscriber.work()).toMatchObject({ state: 'suspended', probing: false });
  await subscriber.advance(30 * day);
  expect(updates(system).map(({ payload }) => payload.state)).toEqual(['idle', 'suspended']);
  expect(updates(system)[1]!.payload.status).toBe('Subscribed');
  await subscriber.subscribe();
  expect(subscriber.work().state).toBe('idle');
  expect(subscriber.heads().map(({ ready }) => ready)).toEqual([true]);
  expectSound(system);
});

test('a success within the five days begins them anew', async () => {
  await using system = new ActorSystem();
  const { subscriber, items } = await brokenDown(system);
  await subscriber.advance(5_000);
  await subscriber.advance(4 * day);
  await subscriber.record([[items[0]!, delivered]]);
  await subscriber.breakDown([items[1]!]);
  await subscriber.advance(5_000);
  await subscriber.advance(295_000);
  await subscriber.advance(5 * day - 300_001);
  expect(subscriber.work().state).toBe('delivering');
  await subscriber.advance(1);
  expect(subscriber.work().state).toBe('suspended');
});

test('status 410 unsubscribes and keeps the delivery', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1']);
  const items = subscriber.next();
  expect(await subscriber.record([[items[0]!, gone]])).toBe('Unsubscribed');
  expect(updates(system).at(-1)!.payload).toMatchObject({ status: 'Unsubscribed', state: 'Unsubscribed' });
  expect(subscriber.statuses()).toEqual(['scheduled']);
  await subscriber.subscribe({ resume: true });
  expect(subscriber.heads()).toMatchObject([{ feedKey: items[0]!.feedKey, ready: true }]);
  expectSound(system);
});

test('a deleted subscription leaves nothing behind', async () => {
  await using system = new ActorSystem();
  const subscriber = await subscriberOf(system);
  await ingest(system, 'ann', ['1', '2']);
  await ingest(system, 'bob', ['1']);
  const items = subscriber.next();
  await subscriber.record(
    [
      [items[0]!, failed],
      [items[2]!, delivered],
    ],
    { deferred: [items[1]!] },
  );
  const { generation } = subscriber.work();
  await subscriber.send('webhook.delete');
  expect(subscriber.reader.webhooks.list()).toEqual([]);
  expect(await failureOf(subscriber.update({ name: 'x' }))).toBe('not_found');
  await subscriber.advance(10_000);
  await subscriber.advance(10_000);
  expect(rowsOf(system.file)).toMatchObject({ webhook_delivery: [], webhook_attempt: [], timer: [] });
  const start = subscriber.reader.feed.end();
  await subscriber.subscribe();
  // What a dispatcher of the deleted one still had to say.
  await subscriber.record([[items[0]!, delivered]], { generation, cursor: [1] });
  expect(subscriber.statuses()).toEqual([]);
  expect(subscriber.work().cursor).toEqual(start);
  expectSound(system);
});
