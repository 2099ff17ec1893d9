import { expect, test } from 'vitest';
import { collectedFor } from '#machines/contact-import.ts';
import type { CommandSender } from '#actors/commands.ts';
import { importedContactId } from '#actors/ids.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import { carryOutImport } from '#src/dispatch/contact-import.ts';
import type { Origin } from '#src/services.ts';
import { ActorSystem, silent } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf, uuid } from '../actors/support.ts';

const id = uuid();
const people = Array.from({ length: 40 }, (_, n) => ({ display_name: `Person ${n}` }));
const ids = people.map((_, index) => importedContactId(id, index));

/** An import of two parts that is committed. */
async function committed(shards = 2): Promise<ActorSystem> {
  const system = new ActorSystem({ shards });
  const commands = system.commands();
  for (const part of [1, 0, 0]) {
    const contacts = people.slice(part * 20, (part + 1) * 20);
    await commands.send('contact-import', id, 'import.add', { part, contacts });
  }
  await commands.send('contact-import', id, 'import.commit', { parts: 2 });
  return system;
}

const effectsOf = (system: ActorSystem, reader: OpenStoreReader) =>
  Array.from({ length: system.shards }, (_, shard) => reader.outbox.after(shard, -1, 10)).flat();

/** Carries out what is committed. @param commands how many commands get through before the process dies */
async function carryOut(system: ActorSystem, commands = Number.POSITIVE_INFINITY): Promise<void> {
  const reader = system.reader();
  let left = commands;
  const commandsFor = (origin: Origin): CommandSender => {
    if (left-- <= 0) throw new Error('The process died.');
    return system.commands(origin);
  };
  for (const effect of effectsOf(system, reader)) {
    const { contactImports } = reader;
    const options = { reader: contactImports, clock: system.clock, log: silent, commandsFor, stopping: () => false };
    await carryOutImport(options, effect);
  }
  // What was on its way when it died arrives yet.
  await system.settle();
  reader.close();
}

const contactsOf = (system: ActorSystem): number => rowsOf(system.file).contact.length;

test('nothing is there before the commit', async () => {
  await using system = new ActorSystem();
  await system.commands().send('contact-import', id, 'import.add', { part: 0, contacts: people });
  await carryOut(system);
  expect([contactsOf(system), eventsOf(system)]).toEqual([0, []]);
});

test.each([0, 1, 7, 39, 40])('one that dies after %i contacts goes on', async (survived) => {
  await using system = await committed();
  await carryOut(system, survived);
  expect(contactsOf(system)).toBe(survived);
  await carryOut(system);
  const reader = system.reader();
  expect(ids.map((each) => JSON.parse(reader.contacts.find(each)!.text).display_name)).toEqual(
    people.map(({ display_name }) => display_name),
  );
  expect([reader.contactImports.isDone(id), effectsOf(system, reader)]).toEqual([true, []]);
  reader.close();
  expect(eventsOf(system)).toHaveLength(people.length);
  expect(rowsOf(system.file).contact_import_part).toEqual([]);
  expectSound(system);
});

test('what came in part is forgotten', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('contact-import', id, 'import.add', { part: 0, contacts: people });
  system.clock.advance(collectedFor);
  await system.settle();
  expect(rowsOf(system.file).contact_import_part).toEqual([]);
  expect(await failureOf(commands.send('contact-import', id, 'import.commit', { parts: 1 }))).toBe('unavailable');
  await commands.send('contact-import', id, 'import.add', { part: 0, contacts: people });
  await commands.send('contact-import', id, 'import.commit', { parts: 1 });
  await carryOut(system);
  expect(contactsOf(system)).toBe(people.length);
  expectSound(system);
});

test('a commit without a part is refused', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('contact-import', id, 'import.add', { part: 0, contacts: people });
  expect(await failureOf(commands.send('contact-import', id, 'import.commit', { parts: 2 }))).toBe('unavailable');
  await carryOut(system);
  expect(contactsOf(system)).toBe(0);
});
