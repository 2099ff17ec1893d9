import { expect, test } from 'vitest';
import { namespaces } from '#actors/ids.ts';
import type { DeliveryReader } from '#actors/conversation/delivery-reader.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { Metrics } from '#src/metrics.ts';
import { startDispatch } from '#src/node/owner-dispatch.ts';
import type { OutgoingClient } from '#src/outgoing/client.ts';
import { ActorSystem, connectTestChannel, conversationOf, testChannel, testSource } from '../_support/actor-system.ts';
import { testConfig } from '../_support/config.ts';

const wait = 60_000;

/** A hub in which one send backs off for a minute. */
async function backingOff(system: ActorSystem): Promise<void> {
  const commands = system.commands();
  await connectTestChannel(commands);
  const conversation = conversationOf('ann');
  const messageId = uuidV5(namespaces.command, 'one');
  const origin = { channelId: testChannel, source: testSource, sourceConversationId: 'ann' };
  const body = { messageId, content: { text: 'Hello' }, sender: { id: 'agent:1' }, origin };
  await commands.send('conversation', conversation, 'message.send', body);
  const reader = system.reader();
  const about = { messageId, effectId: reader.outbox.after(0, -1, 1)[0]!.id };
  reader.close();
  const { revision } = await commands.send('conversation', conversation, 'attempt.start', about);
  const outcome = { kind: 'throttled', error: 'Busy.', retryAfter: wait, giveUpAfter: 2 * wait } as const;
  await commands.send('conversation', conversation, 'attempt.finish', { ...about, revision, outcome });
}

test('a dispatcher that starts looks when a wait is over', async () => {
  await using system = new ActorSystem();
  await backingOff(system);
  const client: OutgoingClient = { send: () => new Promise(() => {}), close: () => Promise.resolve() };
  const services = system.services({ config: testConfig(), awaited: client });
  let looks = 0;
  const find: DeliveryReader['find'] = (key) => {
    looks++;
    return services.store.deliveries.find(key);
  };
  const store = { ...services.store, deliveries: { ...services.store.deliveries, find } };
  const dispatch = startDispatch({ ...services, store }, { sources: client, webhooks: client, metrics: new Metrics() });
  for (let second = 1; second < wait / 1_000; second++) {
    await new Promise(setImmediate);
    system.clock.advance(1_000);
  }
  // A clock that is set is noticed after half a minute.
  expect(looks).toBe(2);
  await new Promise(setImmediate);
  system.clock.advance(2_000);
  expect(looks).toBe(3);
  await dispatch.stop();
  services.close();
});
