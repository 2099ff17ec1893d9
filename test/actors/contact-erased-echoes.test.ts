import { expect, test } from 'vitest';
import type { JsonObject } from '#actors/representation.ts';
import { messageId } from '#actors/ids.ts';
import { uuidFromBytes } from '#actors/uuid.ts';
import { ActorSystem, ingestOf, testSource } from '../_support/actor-system.ts';
import { ann, called, carry, carryAll, erase, everything, origin, secret, started } from './erasing-support.ts';
import { expectSound, rowsOf } from './support.ts';

const ours = messageId(ann, testSource, 'ours');

/** The source pushes what it has of a message of ours. */
async function pushEcho(system: ActorSystem, id: string) {
  const [text] = ingestOf('ann', [secret]).messages;
  const echo = { ...text!, id: messageId(ann, testSource, id), sourceMessageId: id, fromContact: false };
  const body = { origin: origin('ann'), messages: [echo] };
  const { messages } = await system.commands().send('conversation', ann, 'messages.ingest', body);
  return messages[0]!;
}

const merge = (system: ActorSystem, messageId: string | null, metadata: JsonObject) =>
  system.commands().send('conversation', ann, 'metadata.merge', { about: [{ messageId, metadata: [metadata] }] });

async function callBegun(system: ActorSystem) {
  const [effect] = rowsOf(system.file).outbox as { id: Uint8Array }[];
  const about = { messageId: ours, effectId: uuidFromBytes(effect!.id) };
  const { revision } = await system.commands().send('conversation', ann, 'attempt.start', about);
  return { ...about, revision };
}

test('what may have been an echo stays erased when it comes again', async () => {
  await using system = new ActorSystem();
  await started(system);
  await callBegun(system);
  expect(await pushEcho(system, 's1')).toMatchObject({ duplicate: false });
  await erase(system);
  await carryAll(system);
  expect(await pushEcho(system, 's1')).toMatchObject({ duplicate: true });
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test('the echo of a call that ended later stays erased', async () => {
  await using system = new ActorSystem();
  await started(system);
  const about = await callBegun(system);
  await erase(system);
  await carryAll(system);
  const outcome = { kind: 'succeeded' as const, sourceMessageId: 's1', metadata: { note: secret } };
  await system.commands().send('conversation', ann, 'attempt.finish', { ...about, outcome });
  expect(await pushEcho(system, 's1')).toMatchObject({ id: ours, duplicate: true });
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test('an echo before the end of its call brings nothing back', async () => {
  await using system = new ActorSystem();
  await started(system);
  const about = await callBegun(system);
  await erase(system);
  await carryAll(system);
  expect(await pushEcho(system, 's1')).toMatchObject({ duplicate: false });
  const outcome = { kind: 'succeeded' as const, sourceMessageId: 's1', metadata: {} };
  await system.commands().send('conversation', ann, 'attempt.finish', { ...about, outcome });
  await carryAll(system);
  expect(await pushEcho(system, 's1')).toMatchObject({ duplicate: true });
  expect(everything(system)).not.toContain(secret);
  expect(rowsOf(system.file).contact.map(({ value }) => value)).toEqual(['"erased"', '"erased"']);
  expectSound(system);
});

/** Our message is sent until its source has taken it under each of these ids. */
async function sentAs(system: ActorSystem, ids: readonly string[]): Promise<void> {
  for (const [n, sourceMessageId] of ids.entries()) {
    await called(system, { kind: 'succeeded', sourceMessageId, metadata: {} });
    if (n === ids.length - 1) return;
    await merge(system, ours, { error: 'lost' });
    await system.commands().send('conversation', ann, 'message.resend', { messageId: ours });
  }
}

test.each(['s1', 's2', 's3'])('any echo of what was sent again stays erased: %s', async (id) => {
  await using system = new ActorSystem();
  await started(system);
  await sentAs(system, ['s1', 's2', 's1', 's2', 's3']);
  await erase(system);
  await carryAll(system);
  const [message] = ingestOf('ann', ['Hello again'], 'later').messages;
  const body = { origin: origin('ann'), messages: [{ ...message!, sentAt: system.clock.now() + 60_000 }] };
  await system.commands().send('conversation', ann, 'messages.ingest', body);
  expect(await pushEcho(system, id)).toMatchObject({ id: ours, duplicate: true });
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});

test.each(['s1', 's2'])('any echo of what was sent again is that message: %s', async (id) => {
  await using system = new ActorSystem();
  await started(system);
  await sentAs(system, ['s1', 's2', 's3']);
  expect(await pushEcho(system, id)).toMatchObject({ id: ours, duplicate: true });
  const reader = system.reader();
  expect(reader.messages.find(messageId(ann, testSource, id))?.message.id).toBe(ours);
  reader.close();
});

test('no call begins once the erasure has begun', async () => {
  await using system = new ActorSystem();
  await started(system);
  await erase(system);
  while (rowsOf(system.file).conversation.every(({ erased_before }) => erased_before === null)) await carry(system);
  const [effect] = rowsOf(system.file).outbox.filter(({ kind }) => kind === 'source-delivery');
  const reader = system.reader();
  expect(reader.deliveries.find(effect!.subject as number)).toBeNull();
  reader.close();
  const about = { messageId: ours, effectId: uuidFromBytes(effect!.id as Uint8Array) };
  const { started: hasStarted } = await system.commands().send('conversation', ann, 'attempt.start', about);
  expect(hasStarted).toBe(false);
});

test('what a source says of what is erased is not heard', async () => {
  await using system = new ActorSystem();
  await started(system);
  const [first] = ingestOf('ann', [secret]).messages;
  await erase(system);
  await carryAll(system);
  await merge(system, null, { contact: { displayName: secret } });
  await merge(system, first!.id, { note: secret });
  expect(everything(system)).not.toContain(secret);
});

test('what agents said of an erased message is erased again', async () => {
  await using system = new ActorSystem();
  await started(system);
  const [first] = ingestOf('ann', [secret]).messages;
  await erase(system);
  await carryAll(system);
  const upsert = { messageId: first!.id, data: { note: secret } };
  await system.commands().send('conversation', ann, 'metadata.upsert', upsert);
  const [message] = ingestOf('ann', ['Hello again'], 'later').messages;
  const body = { origin: origin('ann'), messages: [{ ...message!, sentAt: system.clock.now() + 60_000 }] };
  await system.commands().send('conversation', ann, 'messages.ingest', body);
  await carryAll(system);
  await erase(system);
  await carryAll(system);
  expect(everything(system)).not.toContain(secret);
  expectSound(system);
});
