import { expect, test } from 'vitest';
import { sourceActorId } from '#actors/ids.ts';
import { kinds } from '#actors/kinds.ts';
import type { JsonObject } from '#actors/representation.ts';
import type { ParkItem } from '#actors/source/contract.ts';
import { ActorSystem, conversationOf, ingestOf, testChannel, testSource } from '../_support/actor-system.ts';
import { itemsOf } from '../_support/pages.ts';
import { carryAll, contact, erase, origin, secret, started } from './erasing-support.ts';
import { expectSound, failureOf, uuid } from './support.ts';

/** A system in which sources can not keep metadata, and imports no parts. */
function failing(): ActorSystem {
  const fails = (): never => {
    throw new TypeError('a defect');
  };
  const broken = { source: { 'metadata.park': fails }, 'contact-import': { 'import.add': fails } };
  const handlersOf = (name: string): object => broken[name as keyof typeof broken] ?? {};
  return new ActorSystem({
    shards: 2,
    kinds: kinds.map((kind) => ({ ...kind, handlers: { ...kind.handlers, ...handlersOf(kind.name) } })),
  });
}

const { sourceConversationId } = origin('ann');
const [first] = ingestOf('ann', [secret]).messages;
const sourceId = first!.sourceMessageId;

async function parked(system: ActorSystem, name: Omit<ParkItem, 'metadata'>): Promise<void> {
  const items = [{ ...name, metadata: { note: secret } }];
  const parking = system.commands().send('source', sourceActorId(testSource), 'metadata.park', {
    source: testSource,
    items,
  });
  expect(await failureOf(parking)).toBe('internal');
}

async function imported(system: ActorSystem, person: JsonObject): Promise<void> {
  const contacts = [{ display_name: 'Zoe' }, { ...person, title: secret }];
  const adding = system.commands().send('contact-import', uuid(), 'import.add', { part: 0, contacts });
  expect(await failureOf(adding)).toBe('internal');
}

/** What is still known of the one command that failed: its rows are sealed. */
function kept(system: ActorSystem): string {
  const reader = system.reader();
  const [letter] = itemsOf(reader.deadLetters.page({ limit: 1, from: null }));
  reader.close();
  return JSON.stringify(letter);
}

const names: Record<string, Omit<ParkItem, 'metadata'>> = {
  'the conversation': { namespace: 'conversation', sourceId: sourceConversationId },
  'the conversation on its channel': {
    ...{ namespace: 'conversation', sourceId: sourceConversationId, channelId: testChannel },
  },
  'a message in the conversation': { namespace: 'message', sourceId: 'later', sourceConversationId },
  'a message': { namespace: 'message', sourceId },
};

test.each(Object.entries(names))('what could not be kept of %s is erased', async (_, name) => {
  await using system = failing();
  await started(system);
  await parked(system, name);
  expect(kept(system)).toContain(secret);
  await erase(system);
  await carryAll(system);
  expect(kept(system)).not.toContain(secret);
  expectSound(system);
});

const others: Record<string, Omit<ParkItem, 'metadata'>> = {
  'another conversation': { namespace: 'conversation', sourceId: 'other' },
  'the conversation on another channel': {
    ...{ namespace: 'conversation', sourceId: sourceConversationId, channelId: conversationOf('x') },
  },
  'another message': { namespace: 'message', sourceId: 'other' },
};

test.each(Object.entries(others))('what could not be kept of %s stays', async (_, name) => {
  await using system = failing();
  await started(system);
  await parked(system, name);
  await erase(system);
  await carryAll(system);
  expect(kept(system)).toContain(secret);
});

test.each([
  ['is called the same', { display_name: ' ANN of Acme ' }],
  ['is reached the same way', { display_name: 'A.', via: { work: { phone: '+1 555' } } }],
])('an import that failed is erased with who %s', async (_, person) => {
  await using system = failing();
  await started(system);
  const fields = { display_name: 'Ann of Acme', via: { phone: '+1 555' } };
  await system.commands().send('contact', contact, 'contact.update', { fields });
  await imported(system, person);
  expect(kept(system)).toContain(secret);
  await erase(system);
  await carryAll(system);
  expect(kept(system)).not.toContain(secret);
  expectSound(system);
});

test('an import that names somebody else stays', async () => {
  await using system = failing();
  await started(system);
  await imported(system, { display_name: 'Bob', via: { phone: '+1 556', fax: '' } });
  await erase(system);
  await carryAll(system);
  expect(kept(system)).toContain(secret);
});
