import { expect, test } from 'vitest';
import { WebhookDispatcher } from '#src/dispatch/webhooks/webhook-dispatcher.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { ActorSystem, silent } from '../_support/actor-system.ts';
import { Dispatching, ingest, receiveWebhooks, subscribe, texts } from './webhooks-support.ts';

/** A dispatcher that nothing wakes, and how often it has read the subscriptions. */
function countingLooks({ system, reader, client }: Dispatching) {
  let count = 0;
  const { webhookDeliveries } = reader;
  const dispatcher = new WebhookDispatcher({
    reader: {
      ...webhookDeliveries,
      subscriptions: (now) => {
        count++;
        return webhookDeliveries.subscriptions(now);
      },
    },
    ...{ clock: system.clock, ids: new SystemIds(), log: silent, client, unread: () => null },
    commandsFor: (origin) => system.commands(origin, 24 * 3_600_000),
  });
  return { dispatcher, looks: () => count };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a grown feed is read on without a look at subscriptions', async () => {
  await using system = new ActorSystem();
  await using receiver = await receiveWebhooks();
  const subscriber = await subscribe(system, receiver.url);
  await using dispatching = new Dispatching(system);
  await dispatching.stop();
  const { dispatcher, looks } = countingLooks(dispatching);
  dispatcher.wake();
  await turn();
  await ingest(system, 'ann', texts(3));
  expect(looks()).toBe(1);
  dispatcher.feedGrew();
  await dispatching.until(() => subscriber.statuses().length === 3);
  expect(receiver.receipts.map(({ text }) => text)).toEqual(['m1', 'm2', 'm3']);
  expect(looks()).toBe(1);
  await dispatcher.stop();
});

test('what both signals ask for is one look', async () => {
  await using system = new ActorSystem();
  await using dispatching = new Dispatching(system);
  await dispatching.stop();
  const { dispatcher, looks } = countingLooks(dispatching);
  dispatcher.feedGrew();
  dispatcher.wake();
  dispatcher.wake();
  await turn();
  await turn();
  expect(looks()).toBe(1);
  await dispatcher.stop();
});
