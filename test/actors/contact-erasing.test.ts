import { expect, test } from 'vitest';
import type { AttemptOutcome } from '#machines/message-delivery.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import { contactOfConversation, messageId } from '#actors/ids.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testSource } from '../_support/actor-system.ts';
import { sealKeys } from '../_support/config.ts';
import { uuidFromBytes } from '#actors/uuid.ts';
import { expectSound, failureOf, rowsOf, turnsOf } from './support.ts';

const secret = 'what nobody may read';
const ann = conversationOf('ann');
const bob = conversationOf('bob');
const contact = contactOfConversation(ann);
const contactOfBob = contactOfConversation(bob);

/** Carries the oldest of what any actor has told, twice, as the relay does after a crash. False: there is nothing. */
async function carry(system: ActorSystem): Promise<boolean> {
  const reader = system.reader();
  const all = Array.from({ length: system.shards }, (_, shard) => reader.outbox.after(shard, -1, 1_000)).flat();
  reader.close();
  const effect = all.find(({ kind }) => kind === 'command');
  if (effect === undefined) return false;
  const about = { key: effect.key, id: effect.id, body: effect.body! };
  for (let tries = 0; tries < 2; tries++) await system.commands().relay(about);
  return true;
}

async function carryAll(system: ActorSystem, between: () => Promise<void> = async () => {}): Promise<void> {
  while (await carry(system)) await between();
}

const origin = (who: string) => ({ ...ingestOf(who, []).origin, contact: true as const });

/** A contact of two conversations, and all that can hold something of a person. */
async function started(system: ActorSystem, texts = 3): Promise<void> {
  const commands = system.commands();
  await connectTestChannel(commands);
  for (const who of ['ann', 'bob']) {
    const all = Array.from({ length: texts }, (_, n) => `${secret} ${n}`);
    const { messages } = ingestOf(who, all);
    const named = messages.map((message) => ({ ...message, senderId: secret }));
    await commands.send('conversation', conversationOf(who), 'messages.ingest', {
      origin: { ...origin(who) },
      messages: named,
    });
    const about = [
      { messageId: null, metadata: [{ contact: { displayName: secret }, note: secret }] },
      { messageId: messages[0]!.id, metadata: [{ note: secret }] },
    ];
    await commands.send('conversation', conversationOf(who), 'metadata.merge', { about });
  }
  await carryAll(system);
  await commands.send('contact', contact, 'contact.update', {
    fields: { display_name: secret, via: { phone: secret } },
  });
  await commands.send('contact', contactOfBob, 'contact.update', { fields: { title: secret } });
  await commands.send('contact', contactOfBob, 'contact.merge', { into: contact });
  await carryAll(system);
  await commands.send('conversation', ann, 'message.send', {
    ...{ messageId: messageId(ann, testSource, 'ours'), content: { text: secret }, sender: { id: 'agent' } },
  });
}

const erase = (system: ActorSystem) => system.commands().send('contact', contact, 'contact.erase', null);

const everything = (system: ActorSystem): string => JSON.stringify(rowsOf(system.file));

const erasedBy = (system: ActorSystem, erasure: number) => {
  const reader = system.reader();
  try {
    return reader.contacts.erasedBy(contact, erasure);
  } finally {
    reader.close();
  }
};

test('nothing that a person wrote or is called is in any row', async () => {
  await using system = new ActorSystem({ shards: 2 });
  await started(system);
  expect(everything(system)).toContain(secret);
  const { erasure } = await erase(system);
  expect(erasedBy(system, erasure)).toBeNull();
  await carryAll(system);
  expect(erasedBy(system, erasure)).toEqual({ contacts: 2, conversations: 2, messages: 7, files: 0 });
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test('a restart at any point loses nothing of it', async () => {
  await using system = new ActorSystem({ shards: 2 });
  await started(system, 1);
  await erase(system);
  await carryAll(system, async () => {
    await system.restart();
    expect(verifyFile(system.file, kinds, sealKeys.sealKey).problems).toEqual([]);
  });
  expect(erasedBy(system, 1)).toEqual({ contacts: 2, conversations: 2, messages: 3, files: 0 });
  expect(everything(system)).not.toContain(secret);
});

test('a long conversation is erased in parts', async () => {
  await using system = new ActorSystem();
  await started(system, 500);
  await erase(system);
  let turns = 0;
  await carryAll(system, async () => void turns++);
  expect(turns).toBeGreaterThan(8);
  expect(erasedBy(system, 1)?.messages).toBe(1_001);
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test('a long history is erased to its beginning', async () => {
  await using system = new ActorSystem();
  await started(system);
  for (let n = 0; n < 600; n++) {
    const upsert = { messageId: null, data: { note: `${secret} ${n}` } };
    await system.commands().send('conversation', ann, 'metadata.upsert', upsert);
  }
  await erase(system);
  await carryAll(system);
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test('a send that waits is withdrawn, and none goes out', async () => {
  await using system = new ActorSystem();
  await started(system);
  await erase(system);
  await carryAll(system);
  expect(rowsOf(system.file).outbox).toEqual([]);
  const ours = rowsOf(system.file).message.filter(({ from_contact }) => from_contact === 0);
  expect(ours).toMatchObject([{ state: 'failed', delivery: null, content: '{"erased":true}' }]);
  const sending = { messageId: messageId(ann, testSource, 'next'), content: {}, sender: { id: 'agent' } };
  const commands = system.commands();
  expect(await failureOf(commands.send('conversation', ann, 'message.send', sending))).toBe('conversation_erased');
  const again = commands.send('conversation', ann, 'message.resend', { messageId: messageId(ann, testSource, 'ours') });
  expect(await failureOf(again)).toBe('conversation_erased');
});

/** The source is called for the message that is to be sent, and says something. */
async function called(system: ActorSystem, outcome: object): Promise<void> {
  const [effect] = rowsOf(system.file).outbox as { id: Uint8Array }[];
  const effectId = uuidFromBytes(effect!.id);
  const about = { messageId: messageId(ann, testSource, 'ours'), effectId };
  const { revision } = await system.commands().send('conversation', ann, 'attempt.start', about);
  const finished = { ...about, revision, outcome: outcome as AttemptOutcome };
  await system.commands().send('conversation', ann, 'attempt.finish', finished);
}

test('what a source said of a send goes too', async () => {
  await using system = new ActorSystem();
  await started(system);
  await called(system, { kind: 'rejected', error: secret });
  expect(JSON.stringify(turnsOf(system.file))).toContain(`"error":"${secret}"`);
  await erase(system);
  await carryAll(system);
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test('our own message that its source pushes stays erased', async () => {
  await using system = new ActorSystem();
  await started(system);
  await called(system, { kind: 'succeeded', sourceMessageId: 's1', metadata: {} });
  await erase(system);
  await carryAll(system);
  const [echo] = ingestOf('ann', [secret]).messages;
  const pushed = { ...echo!, id: messageId(ann, testSource, 's1'), sourceMessageId: 's1', fromContact: false };
  const ingest = { origin: origin('ann'), messages: [pushed] };
  const { messages } = await system.commands().send('conversation', ann, 'messages.ingest', ingest);
  expect(messages).toMatchObject([{ id: messageId(ann, testSource, 'ours'), duplicate: true }]);
  expect(everything(system)).not.toContain(secret);
});

test('what is pushed again stays erased', async () => {
  await using system = new ActorSystem();
  await started(system);
  await erase(system);
  await carryAll(system);
  const again = { origin: origin('ann'), messages: ingestOf('ann', [secret, secret, secret]).messages };
  const { messages } = await system.commands().send('conversation', ann, 'messages.ingest', again);
  expect(messages.map(({ duplicate }) => duplicate)).toEqual([true, true, true]);
  await carryAll(system);
  expect(everything(system)).not.toContain(secret);
  expect(rowsOf(system.file).contact.map(({ value }) => value)).toEqual(['"erased"', '"erased"']);
});

test('who writes again is a contact that knows nothing of before', async () => {
  await using system = new ActorSystem();
  await started(system);
  await erase(system);
  await carryAll(system);
  const [again] = ingestOf('ann', ['Hello again'], 'later').messages;
  const messages = [{ ...again!, sentAt: system.clock.now() + 60_000 }];
  await system.commands().send('conversation', ann, 'messages.ingest', { origin: origin('ann'), messages });
  await carryAll(system);
  const reader = system.reader();
  const found = JSON.parse(reader.contacts.ofConversation(ann)!.text) as Record<string, unknown>;
  expect(found).toMatchObject({
    id: contact,
    display_name: `Acme ${ann.slice(-5)}`,
    conversations: { [ann]: testSource },
  });
  expect(reader.conversations.find(ann)?.last_message?.content).toEqual({ text: 'Hello again' });
  reader.close();
  const sending = { messageId: messageId(ann, testSource, 'next'), content: {}, sender: { id: 'agent' } };
  expect(await system.commands().send('conversation', ann, 'message.send', sending)).toMatchObject({ message: {} });
  const { erasure } = await erase(system);
  await carryAll(system);
  expect(erasedBy(system, erasure)).toEqual({ contacts: 1, conversations: 1, messages: 2, files: 0 });
  expect(everything(system)).not.toContain('Hello again');
  expectSound(system);
});

test('a merge that is under way is given back, or erased', async () => {
  await using system = new ActorSystem();
  await started(system);
  const cid = conversationOf('cid');
  await system.commands().send('conversation', cid, 'messages.ingest', {
    ...{ origin: origin('cid'), messages: ingestOf('cid', ['Hi']).messages },
  });
  await carryAll(system);
  const other = contactOfConversation(cid);
  await system.commands().send('contact', other, 'contact.merge', { into: contact });
  await erase(system);
  await carryAll(system);
  expect(erasedBy(system, 1)).toMatchObject({ contacts: 2 });
  const reader = system.reader();
  expect(JSON.parse(reader.contacts.find(other)!.text)).toMatchObject({
    id: other,
    conversations: { [cid]: testSource },
  });
  reader.close();
  expectSound(system);
});

test.each([
  ['was never made', async () => {}],
  [
    'is part of another one',
    async (system: ActorSystem) => {
      await started(system);
      await system.commands().send('contact', contactOfConversation(conversationOf('x')), 'contact.create', {
        fields: { title: 'x' },
      });
      await system.commands().send('contact', contact, 'contact.merge', {
        into: contactOfConversation(conversationOf('x')),
      });
    },
  ],
])('a contact that %s is not there to erase', async (_, prepare) => {
  await using system = new ActorSystem();
  await prepare(system);
  expect(await failureOf(erase(system))).toBe('not_found');
});
