import { expect, test, vi } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { uuidFromBytes } from '#actors/uuid.ts';
import { MissingContacts } from '#src/dispatch/missing-contacts.ts';
import { everyShard, type OwnedShards } from '#src/dispatch/owned-shards.ts';
import {
  ActorSystem,
  connectTestChannel,
  conversationOf,
  ingestOf,
  silent,
  testSource,
} from '../_support/actor-system.ts';
import { eventsOf, expectSound, rowsOf, sendText } from '../actors/support.ts';
import { until } from '../_support/source-client.ts';

vi.setConfig({ testTimeout: 20_000 });

const people = Array.from({ length: 450 }, (_, n) => `p${n}`);

/** Conversations of a time without contacts, and one that has not appeared. */
async function withConversations(shards: number): Promise<ActorSystem> {
  const system = new ActorSystem({ shards });
  const commands = system.commands();
  await connectTestChannel(commands);
  await Promise.all(
    people.map((name) => commands.send('conversation', conversationOf(name), 'messages.ingest', ingestOf(name, ['1']))),
  );
  await sendText(commands, 'nobody', 'are you there?');
  return system;
}

interface Passing {
  isOn?: boolean;
  owned?: OwnedShards;
  /** Shards that are looked through before it stops. */
  shards?: number;
}

/** Looks through the conversations of some shards. @returns how many contacts it made */
async function pass(system: ActorSystem, { isOn = true, owned = everyShard, shards = 0 }: Passing): Promise<number> {
  const reader = system.reader();
  const complete: number[] = [];
  const info = (fields: Record<string, unknown>, event: string): void => {
    if (event === 'contacts.complete') complete.push(fields['made'] as number);
  };
  const contacts = new MissingContacts({
    ...{ reader: reader.missingContacts, shards: system.shards, owned, clock: system.clock },
    log: { ...silent, info },
    features: { isOn: (feature) => feature === 'contacts' && isOn },
    commandsFor: (origin) => system.commands(origin),
  });
  contacts.wake();
  contacts.wake();
  await until('all are looked through', () => complete.length >= shards);
  await contacts.stop();
  reader.close();
  return complete.reduce((sum, made) => sum + made, 0);
}

const contactsOf = (system: ActorSystem): string[] =>
  rowsOf(system.file)
    .contact.map(({ id }) => uuidFromBytes(id as Uint8Array))
    .sort();

test('conversations of a time without contacts are given them', async () => {
  await using system = await withConversations(2);
  const [gone] = people.map((name) => conversationOf(name));
  const appearance = { conversationId: gone!, source: testSource, displayName: 'Gone' };
  await system.commands().send('contact', contactOfConversation(gone!), 'contact.appear', appearance);
  await system.commands().send('contact', contactOfConversation(gone!), 'contact.delete', null);
  expect(await pass(system, { shards: 2 })).toBe(people.length - 1);
  expect(contactsOf(system)).toEqual(people.map((name) => contactOfConversation(conversationOf(name))).sort());
  const reader = system.reader();
  expect(reader.contacts.ofConversation(gone!)).toBeNull();
  const { text } = reader.contacts.ofConversation(conversationOf('p7'))!;
  expect(JSON.parse(text)).toMatchObject({ conversations: { [conversationOf('p7')]: testSource } });
  reader.close();
  expectSound(system);
  const events = eventsOf(system).length;
  expect(await pass(system, { shards: 2 })).toBe(0);
  expect(eventsOf(system)).toHaveLength(events);
});

test('one that was stopped goes on where contacts are missing', async () => {
  await using system = await withConversations(1);
  await pass(system, {});
  const made = contactsOf(system).length;
  expect(made).toBeLessThan(people.length);
  expect(made + (await pass(system, { shards: 1 }))).toBe(people.length);
});

test('only shards of its own are looked through', async () => {
  await using system = await withConversations(2);
  const owned: OwnedShards = { ...everyShard, has: (shard) => shard === 1 };
  await pass(system, { owned, shards: 1 });
  const shardsOf = new Set(
    rowsOf(system.file).contact_conversation.map(({ conversation }) =>
      shardOf(uuidFromBytes(conversation as Uint8Array), 2),
    ),
  );
  expect(shardsOf).toEqual(new Set([1]));
});

test('nothing is made while contacts are off', async () => {
  await using system = await withConversations(1);
  await pass(system, { isOn: false });
  expect(contactsOf(system)).toEqual([]);
});
