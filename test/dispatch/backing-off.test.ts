import { expect, test } from 'vitest';
import { namespaces } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { createCircuitBreaker } from '#src/outgoing/circuit-breaker.ts';
import { SourceDelivery } from '#src/dispatch/source-delivery.ts';
import { SystemIds } from '#src/runtime/system.ts';
import {
  ActorSystem,
  connectTestChannel,
  conversationOf,
  silent,
  testChannel,
  testSource,
} from '../_support/actor-system.ts';

const wait = 60_000;

/** A hub in which one send backs off for a minute. */
async function backingOff(system: ActorSystem): Promise<void> {
  const commands = system.commands();
  await connectTestChannel(commands);
  const conversation = conversationOf('ann');
  const messageId = uuidV5(namespaces.message, 'one');
  const origin = { channelId: testChannel, source: testSource, sourceConversationId: 'ann' };
  const body = { messageId, content: { text: 'Hello' }, sender: { id: 'agent:1' }, origin };
  await commands.send('conversation', conversation, 'message.send', body);
  const reader = system.reader();
  const about = { messageId, effectId: reader.outbox.after(0, -1, 1)[0]!.id };
  reader.close();
  await commands.send('conversation', conversation, 'attempt.start', about);
  const outcome = { kind: 'throttled', error: 'Busy.', retryAfter: wait } as const;
  await commands.send('conversation', conversation, 'attempt.finish', { ...about, outcome });
}

test('a dispatcher that starts looks when a wait is over', async () => {
  await using system = new ActorSystem();
  await backingOff(system);
  const reader = system.reader();
  let looks = 0;
  const delivery = new SourceDelivery({
    outbox: reader.outbox,
    deliveries: {
      ...reader.deliveries,
      find: (key) => {
        looks++;
        return reader.deliveries.find(key);
      },
    },
    sources: reader.sources,
    shards: 1,
    clock: system.clock,
    ids: new SystemIds(),
    log: silent,
    client: { post: () => new Promise(() => {}), close: () => Promise.resolve() },
    breaker: createCircuitBreaker(system.clock),
    commandsFor: (origin) => system.commands(origin),
    tokenOf: () => Promise.resolve('token'),
  });
  delivery.wake();
  for (let second = 1; second < wait / 1_000; second++) {
    await new Promise(setImmediate);
    system.clock.advance(1_000);
  }
  expect(looks).toBe(1);
  await new Promise(setImmediate);
  system.clock.advance(2_000);
  expect(looks).toBe(2);
  await delivery.stop();
  reader.close();
});
