import { expect, test } from 'vitest';
import { sourceActorId } from '#actors/ids.ts';
import type { ParkItem } from '#actors/source/contract.ts';
import { ActorSystem, ingestOf, testChannel, testSource } from '../_support/actor-system.ts';
import { ann, called, carryAll, erase, everything, origin, secret, started } from './erasing-support.ts';
import { expectSound, rowsOf } from './support.ts';

const [first] = ingestOf('ann', [secret]).messages;
const { sourceConversationId } = origin('ann');
const written = first!.sourceMessageId;

const park = (system: ActorSystem, ...names: Omit<ParkItem, 'metadata'>[]) =>
  system.commands().send('source', sourceActorId(testSource), 'metadata.park', {
    ...{ source: testSource, items: names.map((name) => ({ ...name, metadata: { note: secret } })) },
  });

/** A person of whom everything is erased, as their source is not told. */
async function erased(shards = 1): Promise<ActorSystem> {
  const system = new ActorSystem({ shards });
  await started(system);
  await called(system, { kind: 'succeeded', sourceMessageId: 's1', metadata: {} });
  await erase(system);
  await carryAll(system);
  return system;
}

const names: Record<string, Omit<ParkItem, 'metadata'>> = {
  'the conversation': { namespace: 'conversation', sourceId: sourceConversationId },
  'the conversation on its channel': {
    ...{ namespace: 'conversation', sourceId: sourceConversationId, channelId: testChannel },
  },
  'a message of theirs': { namespace: 'message', sourceId: written },
  'a message of theirs in the conversation': { namespace: 'message', sourceId: written, sourceConversationId },
  'a message of ours': { namespace: 'message', sourceId: 's1' },
  'a message of ours on its channel': { namespace: 'message', sourceId: 's1', channelId: testChannel },
};

test.each(Object.entries(names))('what is said of %s is dropped', async (_, name) => {
  await using system = await erased(2);
  await park(system, name);
  expect(rowsOf(system.file).parked_metadata).toEqual([]);
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test('it is dropped when the person is there again', async () => {
  await using system = await erased();
  const [message] = ingestOf('ann', ['Hello again'], 'later').messages;
  const body = { origin: origin('ann'), messages: [{ ...message!, sentAt: system.clock.now() + 60_000 }] };
  await system.commands().send('conversation', ann, 'messages.ingest', body);
  await park(system, names['a message of theirs']!, names['a message of ours']!);
  expect(everything(system)).not.toContain(secret);
  expect(await park(system, names['the conversation']!)).toEqual({ appeared: [0] });
});

const others: Record<string, Omit<ParkItem, 'metadata'>> = {
  'another conversation': { namespace: 'conversation', sourceId: 'other' },
  'the conversation on another channel': {
    ...{ namespace: 'conversation', sourceId: sourceConversationId, channelId: ann },
  },
  'a message that has not come': { namespace: 'message', sourceId: 'later', sourceConversationId },
  'a message in another conversation': { namespace: 'message', sourceId: written, sourceConversationId: 'other' },
};

test.each(Object.entries(others))('what is said of %s is kept', async (_, name) => {
  await using system = await erased();
  await park(system, name);
  expect(rowsOf(system.file).parked_metadata).toMatchObject([{ target: name.sourceId }]);
});
