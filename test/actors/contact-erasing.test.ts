import { expect, test } from 'vitest';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import { contactOfConversation, messageId } from '#actors/ids.ts';
import { ActorSystem, conversationOf, ingestOf, testSource } from '../_support/actor-system.ts';
import { sealKeys } from '../_support/config.ts';
import { expectSound, failureOf, rowsOf, turnsOf } from './support.ts';
import {
  ann,
  called,
  carryAll,
  contact,
  erase,
  erasedBy,
  everything,
  origin,
  secret,
  started,
} from './erasing-support.ts';

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
