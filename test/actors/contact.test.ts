import { expect, test } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import type { JsonObject } from '#actors/representation.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testSource } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf, uuid } from './support.ts';

const conversation = conversationOf('ann');
const ann = contactOfConversation(conversation);
const appearance = { conversationId: conversation, source: testSource, displayName: 'Ann' };

/** What a contact shows, with the digits as they are stored. */
function shownOf(system: ActorSystem, id: string): string | null {
  const reader = system.reader();
  try {
    return reader.contacts.find(id)?.text ?? null;
  } finally {
    reader.close();
  }
}

const contactOf = (system: ActorSystem, id: string): JsonObject => JSON.parse(shownOf(system, id) ?? 'null');

const create = async (system: ActorSystem, fields: JsonObject): Promise<string> => {
  const id = uuid();
  await system.commands().send('contact', id, 'contact.create', { fields });
  return id;
};

test('making a contact tells it with all that it has', async () => {
  await using system = new ActorSystem();
  const id = await create(system, { title: '', gender: null, display_name: 'Ann', via: { phone: '1', fax: '' } });
  const contact = {
    ...{ id, display_name: 'Ann', via: { phone: '1' }, conversations: {} },
    created_at: new Date(system.clock.now()).toISOString(),
  };
  expect(contactOf(system, id)).toEqual(contact);
  expect(eventsOf(system)).toEqual([{ type: 'contact.updated', seq: 1, payload: contact }]);
  expectSound(system);
});

test('no person stands in the journal', async () => {
  await using system = new ActorSystem();
  const secret = 'Ada Lovelace';
  const id = await create(system, { display_name: secret, metadata: { name: secret } });
  await system.commands().send('contact', id, 'contact.update', { fields: { title: secret } });
  await system.commands().send('contact', ann, 'contact.appear', { ...appearance, displayName: secret });
  await system.commands().send('contact', id, 'contact.delete', null);
  expect(JSON.stringify(rowsOf(system.file).journal)).not.toContain(secret);
});

test('a change keeps the rest, to the last digit', async () => {
  await using system = new ActorSystem();
  const metadata = { a: { id: JSON.rawJSON('9007199254740993') as never, b: '1' }, c: 'x' };
  const id = await create(system, { display_name: 'Ann', metadata });
  const fields = { display_name: null, metadata: { a: { b: '' }, c: '', d: JSON.rawJSON('1.10') as never } };
  await system.commands().send('contact', id, 'contact.update', { fields });
  expect(shownOf(system, id)).toContain('"display_name":"Ann"');
  expect(shownOf(system, id)).toContain('"metadata":{"a":{"id":9007199254740993},"d":1.10}');
  expectSound(system);
});

test('a change that changes nothing is not told', async () => {
  await using system = new ActorSystem();
  const id = await create(system, { display_name: 'Ann' });
  await system.commands().send('contact', id, 'contact.update', { fields: { display_name: 'Ann', title: '' } });
  expect(eventsOf(system)).toHaveLength(1);
});

test('what would become too large changes nothing', async () => {
  await using system = new ActorSystem();
  const id = await create(system, { metadata: { a: 'x'.repeat(40_000) } });
  const update = system
    .commands()
    .send('contact', id, 'contact.update', { fields: { via: { b: 'y'.repeat(30_000) } } });
  expect(await failureOf(update)).toBe('metadata_too_large');
  expect(eventsOf(system)).toHaveLength(1);
});

test('a conversation that appears has its contact made', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  const { origin, messages } = ingestOf('ann', ['1']);
  await commands.send('conversation', conversation, 'messages.ingest', {
    origin: { ...origin, contact: true },
    messages,
  });
  const more = ingestOf('ann', ['2'], 'later').messages;
  await commands.send('conversation', conversation, 'messages.ingest', {
    origin: { ...origin, contact: true },
    messages: more,
  });
  const [told, ...others] = rowsOf(system.file).outbox;
  expect(others).toEqual([]);
  const { command: _, ...asked } = JSON.parse(String(told!.body)) as { command: string };
  expect(asked).toEqual({
    ...{ from: { kind: 'conversation', id: conversation }, to: { kind: 'contact', id: ann }, type: 'contact.appear' },
    body: { conversationId: conversation, source: testSource, displayName: `Acme ${conversation.slice(-5)}` },
  });
});

test('a contact appears once, and not again when it is deleted', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const avatarUrl = 'https://img.example/ann.png';
  await commands.send('contact', ann, 'contact.appear', { ...appearance, avatarUrl });
  await commands.send('contact', ann, 'contact.appear', { ...appearance, displayName: 'Other' });
  expect(contactOf(system, ann)).toMatchObject({
    ...{ display_name: 'Ann', avatar_url: avatarUrl, conversations: { [conversation]: testSource } },
  });
  await commands.send('contact', ann, 'contact.delete', null);
  await commands.send('contact', ann, 'contact.appear', appearance);
  expect(contactOf(system, ann)).toBeNull();
  const reader = system.reader();
  expect(reader.contacts.ofConversation(conversation)).toBeNull();
  reader.close();
  expect(eventsOf(system).at(-1)).toEqual({ type: 'contact.updated', seq: 2, payload: { id: ann, deleted: true } });
  expectSound(system);
});

test.each([
  ['contact.update', { fields: { title: 'x' } }],
  ['contact.delete', null],
] as const)('%s of a contact that is not there is refused', async (type, body) => {
  await using system = new ActorSystem();
  const send = () => system.commands().send('contact', ann, type, body as never);
  expect(await failureOf(send())).toBe('not_found');
  await system.commands().send('contact', ann, 'contact.appear', appearance);
  await system.commands().send('contact', ann, 'contact.delete', null);
  expect(await failureOf(send())).toBe('not_found');
});

test('a making that comes again makes nothing', async () => {
  await using system = new ActorSystem();
  const id = uuid();
  for (const display_name of ['Ann', 'Other']) {
    await system.commands().send('contact', id, 'contact.create', { fields: { display_name } });
  }
  expect(contactOf(system, id)).toMatchObject({ display_name: 'Ann' });
  expect(eventsOf(system)).toHaveLength(1);
});
