import { expect, test } from 'vitest';
import { decode, type Envelope } from '#actors/runtime/envelope.ts';
import { Lanes } from '#src/dispatch/lanes.ts';
import { relay } from '#src/dispatch/relay.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf, turnsOf, uuid } from './support.ts';

const red = { name: 'Urgent', color: 'tag-red' } as const;
const silent = { info() {}, warn() {}, error() {} };

/** A system with a tag and conversations. */
async function start(contacts: string[], options: ConstructorParameters<typeof ActorSystem>[0] = {}) {
  const system = new ActorSystem({ shards: 4, ...options });
  const commands = system.commands();
  await connectTestChannel(commands);
  const ingest = (contact: string) =>
    commands.send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['hello']));
  await Promise.all(contacts.map(ingest));
  const tagId = uuid();
  await commands.send('tag', tagId, 'tag.create', red);
  const tag = (contact: string) =>
    commands.send('conversation', conversationOf(contact), 'conversation.tag', { tagId });
  const untag = (contact: string) =>
    commands.send('conversation', conversationOf(contact), 'conversation.untag', { tagId });
  const remove = () => commands.send('tag', tagId, 'tag.delete', null);
  return { system, commands, tagId, tag, untag, remove, [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() };
}

const storedTags = (system: ActorSystem): string[][] =>
  rowsOf(system.file).conversation.map(({ metadata }) =>
    Object.keys((JSON.parse(String(metadata)) as { tags?: object }).tags ?? {}),
  );

/** Carries what actors tell each other until there is nothing left, or it `stops`. */
async function relayed(system: ActorSystem, stops: (told: Envelope) => boolean = () => false): Promise<void> {
  const reader = system.reader();
  const request = system.bus.request.bind(system.bus);
  let isDead = false;
  system.bus.request = async (subject, data, timeout) => {
    isDead ||= stops(decode<Envelope>(data));
    if (isDead) throw new Error('the process is dead');
    return request(subject, data, timeout);
  };
  const options = {
    clock: system.clock,
    log: silent,
    commandsFor: system.commands.bind(system),
    stopping: () => isDead,
  };
  const lanes = new Lanes({
    ...{ outbox: reader.outbox, shards: system.shards, owns: () => true, clock: system.clock },
    perform: (effect) => relay(options, effect),
    groupOf: () => '',
    failed(error) {
      throw error;
    },
  });
  const db = system.open();
  const left = db.prepare('SELECT EXISTS (SELECT 1 FROM outbox)').pluck();
  while (!isDead && left.get() === 1) {
    lanes.wake();
    await new Promise(setImmediate);
  }
  await lanes.stop();
  reader.close();
  db.close();
  system.bus.request = request;
}

test('a tag is made, changed and told', async () => {
  await using hub = await start([]);
  const { system, commands, tagId } = hub;
  await commands.send('tag', tagId, 'tag.update', { name: 'Later' });
  await commands.send('tag', tagId, 'tag.update', { color: 'tag-blue' });
  await hub.remove();
  const told = eventsOf(system).filter(({ type }) => type === 'tag.updated');
  expect(told.map(({ seq, payload }) => [seq, payload])).toEqual([
    [1, { id: tagId, name: 'Urgent', color: 'tag-red' }],
    [2, { id: tagId, name: 'Later', color: 'tag-red' }],
    [3, { id: tagId, name: 'Later', color: 'tag-blue' }],
    [4, { id: tagId, name: 'Later', color: 'tag-blue', deleted: true }],
  ]);
  expectSound(system);
});

test('a conversation has a tag once, and loses it', async () => {
  await using hub = await start(['ann']);
  const { system, tagId } = hub;
  await hub.tag('ann');
  const events = eventsOf(system).length;
  await hub.tag('ann');
  expect(eventsOf(system)).toHaveLength(events);
  expect(storedTags(system)).toEqual([[tagId]]);
  await hub.untag('ann');
  await hub.untag('ann');
  await relayed(system);
  expect([storedTags(system), rowsOf(system.file).tagged_conversation]).toEqual([[[]], []]);
  expectSound(system);
});

test.each(['tag', 'untag'] as const)('%s needs a tag and a conversation', async (verb) => {
  await using hub = await start(['ann']);
  expect(await failureOf(hub[verb]('nobody'))).toBe('not_found');
  await hub.remove();
  expect(await failureOf(hub[verb]('ann'))).toBe('not_found');
});

test('a deleted tag leaves every conversation, page by page', async () => {
  const contacts = Array.from({ length: 257 }, (_, n) => `c${n}`);
  await using hub = await start(contacts);
  const { system } = hub;
  await Promise.all(contacts.map((contact) => hub.tag(contact)));
  await relayed(system);
  expect(rowsOf(system.file).tagged_conversation).toHaveLength(257);
  await hub.remove();
  expect(rowsOf(system.file).outbox).toHaveLength(257);
  await relayed(system);
  expect(storedTags(system).flat()).toEqual([]);
  expect(rowsOf(system.file)).toMatchObject({ tagged_conversation: [], outbox: [] });
  expect(turnsOf(system.file).filter(({ type }) => type === 'conversation.drop-tag')).toHaveLength(257);
  expectSound(system);
});

test.each([1, 2, 3, 4, 5])('nothing is left where a process dies at its command %i', async (last) => {
  await using hub = await start(['ann', 'bob']);
  const { system } = hub;
  for (const contact of ['ann', 'bob']) await hub.tag(contact);
  await relayed(system);
  await hub.remove();
  let sent = 0;
  await relayed(system, () => ++sent === last);
  await system.restart();
  await relayed(system);
  expect([storedTags(system).flat(), rowsOf(system.file).outbox]).toEqual([[], []]);
  expectSound(system);
});

test('a conversation that hears of the deletion late drops it', async () => {
  await using hub = await start(['ann']);
  const { system } = hub;
  await hub.tag('ann');
  // What it tells is still on its way.
  await hub.remove();
  expect(storedTags(system)).toEqual([[hub.tagId]]);
  await relayed(system);
  expect([storedTags(system), rowsOf(system.file).tagged_conversation]).toEqual([[[]], []]);
});
