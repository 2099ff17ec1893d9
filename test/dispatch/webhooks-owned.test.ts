import { expect, test } from 'vitest';
import { WebhookDispatcher } from '#src/dispatch/webhooks/webhook-dispatcher.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { ActorSystem, silent } from '../_support/actor-system.ts';
import { Dispatching, ingest, receiveWebhooks, subscribe } from './webhooks-support.ts';

test('what is under way is not sent again after a retake', async () => {
  await using system = new ActorSystem();
  const { promise: answer, resolve: end } = Promise.withResolvers<number>();
  await using receiver = await receiveWebhooks(() => answer);
  await subscribe(system, receiver.url);
  await using dispatching = new Dispatching(system);
  await dispatching.stop();
  let isOwned = true;
  const dispatcher = new WebhookDispatcher({
    reader: dispatching.reader.webhookDeliveries,
    ...{ clock: system.clock, ids: new SystemIds(), log: silent, client: dispatching.client, unread: () => null },
    commandsFor: (origin) => system.commands(origin, 24 * 3_600_000),
    serves: () => isOwned,
  });
  const { requests } = receiver.receiver;
  await ingest(system, 'ann', ['m1']);
  dispatcher.wake();
  await dispatching.until(() => requests.length === 1);
  for (const next of [false, true]) {
    isOwned = next;
    dispatcher.wake();
    await dispatching.pass(40);
  }
  await dispatching.pass(5_000);
  const sent = requests.length;
  end(200);
  expect(sent).toBe(1);
  await ingest(system, 'ann', ['m2'], 'later');
  dispatcher.feedGrew();
  await dispatching.until(() => receiver.receipts.length === 2);
  expect(receiver.receipts.map(({ text }) => text)).toEqual(['m1', 'm2']);
  await dispatcher.stop();
});
