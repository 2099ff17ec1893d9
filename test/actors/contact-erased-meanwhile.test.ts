import { expect, test } from 'vitest';
import { uuidFromBytes } from '#actors/uuid.ts';
import { ActorSystem, conversationOf, ingestOf, testSource } from '../_support/actor-system.ts';
import {
  ann,
  bob,
  carryAll,
  contact,
  contactOfBob,
  erase,
  erasedBy,
  everything,
  origin,
  started,
} from './erasing-support.ts';
import { expectSound, rowsOf } from './support.ts';

/** Somebody writes what was not there before. */
async function write(system: ActorSystem, who: string, text: string, where: object = origin(who)): Promise<void> {
  const [message] = ingestOf(who, [text], 'later').messages;
  const messages = [{ ...message!, sentAt: system.clock.now() + 60_000 }];
  const body = { origin: where as ReturnType<typeof origin>, messages };
  await system.commands().send('conversation', conversationOf(who), 'messages.ingest', body);
}

/** The contact of a conversation that is there; null: there is none. */
function contactIdOf(system: ActorSystem, conversation: string): string | null {
  const reader = system.reader();
  try {
    const found = reader.contacts.ofConversation(conversation);
    return found === null ? null : (JSON.parse(found.text) as { id: string }).id;
  } finally {
    reader.close();
  }
}

const isErased = (system: ActorSystem, conversation: string): boolean =>
  rowsOf(system.file).conversation.some(
    ({ id, erased_before }) => uuidFromBytes(id as Uint8Array) === conversation && erased_before !== null,
  );

/** Writes as soon as a conversation is erased, while the rest of the person is not. */
async function carryAllAndWrite(system: ActorSystem, who: string): Promise<void> {
  let hasWritten = false;
  await carryAll(system, async () => {
    if (hasWritten || !isErased(system, conversationOf(who))) return;
    hasWritten = true;
    await write(system, who, 'Hello again');
  });
}

test.each([
  ['ann', ann, contact],
  ['bob', bob, contactOfBob],
])('%s writes while it is under way and is a contact again', async (who, conversation, id) => {
  await using system = new ActorSystem({ shards: 2 });
  await started(system);
  await erase(system);
  await carryAllAndWrite(system, who);
  expect(contactIdOf(system, conversation)).toBe(id);
  expectSound(system);
  const { erasure } = await system.commands().send('contact', id, 'contact.erase', null);
  await carryAll(system);
  expect(erasure).toBe(2);
  expect(everything(system)).not.toContain('Hello again');
});

test('who writes while contacts are off is one when they are on', async () => {
  await using system = new ActorSystem();
  await started(system);
  await erase(system);
  await carryAll(system);
  const missing = () => {
    const reader = system.reader();
    try {
      return reader.missingContacts.look(0, null, 100).missing;
    } finally {
      reader.close();
    }
  };
  expect(missing()).toEqual([]);
  const { contact: _, ...without } = origin('ann');
  await write(system, 'ann', 'Hello again', without);
  expect(missing()).toMatchObject([{ contact, appearance: { conversationId: ann, source: testSource } }]);
  await system.commands().send('contact', contact, 'contact.appear', missing()[0]!.appearance);
  expect(missing()).toEqual([]);
});

test('a contact that was deleted is erased with its messages', async () => {
  await using system = new ActorSystem();
  await started(system);
  await system.commands().send('contact', contact, 'contact.delete', null);
  expectSound(system);
  expect(contactIdOf(system, ann)).toBeNull();
  await erase(system);
  await carryAll(system);
  expect(erasedBy(system, 1)).toEqual({ contacts: 2, conversations: 2, messages: 7, files: 0 });
  expectSound(system);
});
