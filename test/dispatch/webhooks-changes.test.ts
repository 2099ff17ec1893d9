import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { ActorSystem } from '../_support/actor-system.ts';
import { Dispatching, ingest, receiveWebhooks, subscribe, texts } from './webhooks-support.ts';

test('replay from a cursor sends it all again, with the same ids', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks();
  const subscriber = await subscribe(system, receiver.url);
  const { cursor } = subscriber.work();
  await ingest(system, 'ann', texts(10));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => receiver.receipts.length === 10 && subscriber.statuses().length === 10);
  await system.commands().send('webhook-subscription', subscriber.id, 'webhook.replay-from', { cursor });
  await dispatching.until(() => receiver.receipts.length === 20);
  const ids = receiver.receipts.map(({ id }) => id);
  expect(ids.slice(10)).toEqual(ids.slice(0, 10));
});

test('a replay while calls are under way begins after them', async () => {
  await using system = new ActorSystem();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using receiver = await receiveWebhooks(() => gate.then(() => 200));
  const subscriber = await subscribe(system, receiver.url);
  const { cursor } = subscriber.work();
  await ingest(system, 'ann', texts(3));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => dispatching.dispatcher.inFlight === 1);
  await system.commands().send('webhook-subscription', subscriber.id, 'webhook.replay-from', { cursor });
  await dispatching.pass(100);
  open();
  await dispatching.until(() => receiver.receipts.length === 4);
  expect(receiver.receipts.map(({ text }) => text)).toEqual(['m1', 'm1', 'm2', 'm3']);
  expect(receiver.peakOfOne).toBe(1);
});

test('replay of one delivery sends that one again', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks();
  const subscriber = await subscribe(system, receiver.url);
  await ingest(system, 'ann', texts(3));
  await using dispatching = new Dispatching(system);
  await dispatching.until(() => subscriber.statuses().length === 3);
  await subscriber.replay(receiver.receipts[1]!.id);
  await dispatching.until(() => receiver.receipts.length === 4);
  await dispatching.pass(100);
  expect(receiver.receipts.map(({ text }) => text)).toEqual(['m1', 'm2', 'm3', 'm2']);
});

test('a changed key signs beside the one before', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks();
  const subscriber = await subscribe(system, receiver.url);
  await using dispatching = new Dispatching(system);
  await subscriber.update({ signatureKey: 'another-key', rotationOverlap: 60_000 });
  await ingest(system, 'ann', ['one']);
  await dispatching.until(() => receiver.receipts.length === 1);
  await dispatching.pass(61_000, 1_000);
  await ingest(system, 'ann', ['two'], 'later');
  await dispatching.until(() => receiver.receipts.length === 2);
  const verifies = (key: string, n: number): boolean => {
    const { body, headers } = receiver.receiver.requests[n]!;
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    const signature = new Webhook(key, { format: 'raw' }).sign(String(headers['webhook-id']), at, body.toString());
    return String(headers['webhook-signature']).split(' ').includes(signature);
  };
  expect([verifies('a-plain-key', 0), verifies('another-key', 0)]).toEqual([true, true]);
  expect([verifies('a-plain-key', 1), verifies('another-key', 1)]).toEqual([false, true]);
});

test('a deleted subscription gets nothing more', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks();
  const subscriber = await subscribe(system, receiver.url);
  await using dispatching = new Dispatching(system);
  await ingest(system, 'ann', ['one']);
  await dispatching.until(() => receiver.receipts.length === 1);
  await subscriber.send('webhook.delete');
  await ingest(system, 'ann', ['two'], 'later');
  await dispatching.pass(2_000);
  expect(receiver.receipts).toHaveLength(1);
});
