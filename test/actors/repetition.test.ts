import { expect, test } from 'vitest';
import { conversationKind } from '#actors/conversation/kind.ts';
import { runtimeCommands } from '#actors/runtime/runtime-commands.ts';
import type { Envelope } from '#actors/runtime/envelope.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../_support/actor-system.ts';
import {
  envelopeFor,
  eventsOf,
  expectSound,
  failureOf,
  originOf,
  request,
  rowsOf,
  turnsOf,
  uuid,
  withHandlers,
} from './support.ts';

const ann = conversationOf('ann');

const ingesting = (system: ActorSystem, texts = ['hi'], more: Partial<Envelope> = {}) =>
  envelopeFor(system, 'conversation', ann, 'messages.ingest', ingestOf('ann', texts), more);

/** The command that starts the conversation by a message of ours. */
const sending = (system: ActorSystem) =>
  envelopeFor(system, 'conversation', ann, 'message.send', {
    messageId: uuid(),
    content: { text: 'hello' },
    sender: { id: 'test:agent' },
    origin: originOf('ann'),
  });

async function connected(options: ConstructorParameters<typeof ActorSystem>[0] = {}): Promise<ActorSystem> {
  const system = new ActorSystem(options);
  await connectTestChannel(system.commands());
  return system;
}

const duplicates = (reply: unknown): unknown[] =>
  (reply as { result: { messages: { duplicate: boolean }[] } }).result.messages.map(({ duplicate }) => duplicate);

test('a repeated ingest is recognised in the same batch', async () => {
  await using system = await connected();
  const envelope = ingesting(system);
  const [first, second] = await Promise.all([request(system, envelope), request(system, envelope)]);
  expect(first).toMatchObject({ ok: true, result: { messages: [{ duplicate: false }] } });
  expect(second).toEqual(first);
  expect(rowsOf(system.file).message).toHaveLength(1);
  expect(turnsOf(system.file).filter(({ type }) => type === envelope.type)).toHaveLength(1);
});

test('a repeated ingest gets its first answer and leaves no row', async () => {
  await using system = await connected({ shards: 4 });
  const envelope = ingesting(system, ['1', '2']);
  const first = await request(system, envelope);
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', ['3'], 'more'));
  const before = rowsOf(system.file);
  expect(await request(system, envelope)).toEqual(first);
  expect(rowsOf(system.file)).toEqual(before);
  await system.restart();
  expect(await request(system, envelope)).toEqual(first);
  expect(rowsOf(system.file)).toEqual(before);
  expectSound(system);
});

test('of an ingest with one new message only that one is new', async () => {
  await using system = await connected();
  await request(system, ingesting(system, ['1', '2']));
  const more = ingesting(system, ['1', '2', '3']);
  const [first, again] = [await request(system, more), await request(system, more)];
  expect(duplicates(first)).toEqual([true, true, false]);
  expect(again).toEqual(first);
  expect(duplicates(await request(system, ingesting(system, ['1', '2', '3'])))).toEqual([true, true, true]);
  expect(rowsOf(system.file)).toMatchObject({
    message: { length: 3 },
    conversation: [{ unread_count: 3, messages: 3 }],
  });
});

test('a message twice in one ingest is new once, also repeated', async () => {
  await using system = await connected();
  const body = ingestOf('ann', ['1', '2']);
  const twice = ingesting(system);
  twice.body = { ...body, messages: [body.messages[0], body.messages[1], body.messages[0]] };
  const first = await request(system, twice);
  expect(duplicates(first)).toEqual([false, false, true]);
  expect(await request(system, twice)).toEqual(first);
  await system.restart();
  expect(await request(system, twice)).toEqual(first);
  expect(rowsOf(system.file).message).toHaveLength(2);
});

test('a message of ours that its source echoes is a duplicate', async () => {
  await using system = await connected();
  const { message } = ((await request(system, sending(system))) as { result: { message: { id: string } } }).result;
  const reader = system.reader();
  const [effect] = reader.outbox.after(0, 0, 1);
  reader.close();
  const about = { messageId: message.id, effectId: effect!.id };
  const { revision } = await system.commands().send('conversation', ann, 'attempt.start', about);
  const outcome = { kind: 'succeeded', sourceMessageId: 'ann-0', metadata: {} } as const;
  await system.commands().send('conversation', ann, 'attempt.finish', { ...about, revision, outcome });
  const echo = await request(system, ingesting(system));
  expect(echo).toMatchObject({ ok: true, result: { messages: [{ id: message.id, duplicate: true }] } });
  expect(rowsOf(system.file).message).toHaveLength(1);
});

test('a send gets its first answer, though it is delivered by then', async () => {
  await using system = await connected();
  const envelope = sending(system);
  const first = await request(system, envelope);
  expect(first).toMatchObject({ ok: true, result: { message: { delivery_state: 'pending' } } });
  const { message } = (first as { result: { message: { id: string } } }).result;
  const reader = system.reader();
  const [effect] = reader.outbox.after(0, 0, 1);
  const about = { messageId: message.id, effectId: effect!.id };
  const { revision } = await system.commands().send('conversation', ann, 'attempt.start', about);
  const outcome = { kind: 'succeeded', sourceMessageId: null, metadata: {} } as const;
  await system.commands().send('conversation', ann, 'attempt.finish', { ...about, revision, outcome });
  expect(reader.messages.find(message.id)).toMatchObject({ message: { delivery_state: 'delivered' } });
  reader.close();
  const before = rowsOf(system.file);
  expect(await request(system, envelope)).toEqual({ ...first, replayed: true });
  await system.restart();
  expect(await request(system, envelope)).toEqual({ ...first, replayed: true });
  expect(rowsOf(system.file)).toEqual(before);
});

test('a send twice in one batch is one message', async () => {
  await using system = await connected();
  const envelope = sending(system);
  const [first, second] = await Promise.all([request(system, envelope), request(system, envelope)]);
  expect(second).toEqual(first);
  expect(rowsOf(system.file)).toMatchObject({ message: { length: 1 }, outbox: { length: 1 } });
});

test('a command that changed nothing is remembered too', async () => {
  await using system = await connected();
  await request(system, ingesting(system));
  await system.commands().send('conversation', ann, 'conversation.mark-read', null);
  const idle = envelopeFor(system, 'conversation', ann, 'conversation.mark-read', null);
  const first = await request(system, idle);
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', ['new'], 'new'));
  expect(await request(system, idle)).toEqual({ ...first, replayed: true });
  expect(rowsOf(system.file).conversation).toMatchObject([{ unread_count: 1 }]);
});

test('a refusal is answered the same again', async () => {
  await using system = await connected();
  const envelope = envelopeFor(system, 'conversation', ann, 'conversation.mark-read', null);
  const first = await request(system, envelope);
  expect(first).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  await request(system, ingesting(system));
  expect(await request(system, envelope)).toEqual({ ...first, replayed: true });
  await system.restart();
  expect(await request(system, envelope)).toEqual({ ...first, replayed: true });
  expect(rowsOf(system.file).conversation).toMatchObject([{ unread_count: 1 }]);
});

test('a refused ingest is tried anew: nothing of it is there', async () => {
  await using system = await connected();
  await system.commands().send('channel', testChannel, 'channel.disconnect', null);
  const before = rowsOf(system.file);
  const envelope = ingesting(system);
  expect(await request(system, envelope)).toMatchObject({ ok: false, failure: { code: 'channel_not_connected' } });
  expect(rowsOf(system.file)).toEqual(before);
  await connectTestChannel(system.commands());
  expect(duplicates(await request(system, envelope))).toEqual([false]);
});

test('an expired repetition gets the answer of the first try', async () => {
  await using system = await connected();
  const [ingest, send, partly] = [ingesting(system), sending(system), ingesting(system, ['hi', 'unseen'])];
  const refused = envelopeFor(system, 'conversation', testChannel, 'conversation.mark-read', null);
  const answers = [];
  for (const envelope of [ingest, send, refused]) answers.push(await request(system, envelope));
  system.clock.advance(60_000);
  const before = rowsOf(system.file);
  expect(await request(system, ingest)).toEqual(answers[0]);
  expect(await request(system, send)).toEqual({ ...answers[1], replayed: true });
  expect(await request(system, refused)).toEqual({ ...answers[2], replayed: true });
  const late = { ok: false, failure: { code: 'deadline_exceeded' } };
  for (const envelope of [partly, { ...ingest, commandId: uuid() }, { ...send, commandId: uuid() }]) {
    expect(await request(system, envelope)).toMatchObject(late);
  }
  const unknown = { ...ingest, actor: { kind: 'conversation', id: testChannel } };
  expect(await request(system, unknown)).toMatchObject(late);
  expect(rowsOf(system.file)).toEqual(before);
});

test('commands of the runtime leave no row when nothing happened', async () => {
  await using system = await connected();
  await request(system, ingesting(system));
  const before = rowsOf(system.file);
  const fired = { key: 4711, subject: 1, name: 'xstate.after.1.x' };
  for (const [type, body] of [
    [runtimeCommands.timerFired, fired],
    [runtimeCommands.effectDone, { key: 4711 }],
  ] as const) {
    expect(await request(system, envelopeFor(system, 'conversation', ann, type, body))).toEqual({
      ok: true,
      result: null,
    });
  }
  const redrive = envelopeFor(system, 'conversation', ann, runtimeCommands.redrive, { commandId: uuid() });
  expect(await request(system, redrive)).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  expect(rowsOf(system.file)).toEqual(before);
});

/** A system whose conversations fail at everything while `broken.now`. */
async function brokenSystem() {
  const broken = { now: true };
  const fragile =
    <B, R>(handler: (runtime: never, body: B) => R) =>
    (runtime: unknown, body: B): R => {
      if (broken.now) throw new Error('a defect');
      return handler(runtime as never, body);
    };
  const { 'messages.ingest': ingest, 'message.send': send } = conversationKind.handlers;
  const kinds = withHandlers({ 'messages.ingest': fragile(ingest), 'message.send': fragile(send) });
  const system = await connected({ kinds });
  const redrive = (commandId: string) =>
    request(system, envelopeFor(system, 'conversation', ann, runtimeCommands.redrive, { commandId }));
  return { system, broken, redrive };
}

test('a command that met a defect has the answer of its redrive', async () => {
  const { system, broken, redrive } = await brokenSystem();
  await using _ = system;
  const envelope = sending(system);
  const first = await request(system, envelope);
  expect(first).toMatchObject({ ok: false, failure: { code: 'internal' } });
  expect(await request(system, envelope)).toEqual({ ...first, replayed: true });
  broken.now = false;
  // Nobody but an operator has it handled again.
  expect(await request(system, envelope)).toEqual({ ...first, replayed: true });
  const redriven = await redrive(envelope.commandId);
  expect(redriven).toMatchObject({ ok: true, result: { message: { content: { text: 'hello' } } } });
  expect(await request(system, envelope)).toEqual({ ...redriven, replayed: true });
  await system.restart();
  system.clock.advance(60_000);
  expect(await request(system, envelope)).toEqual({ ...redriven, replayed: true });
  expect(rowsOf(system.file).message).toHaveLength(1);
  expectSound(system);
});

test('an ingest that was redriven is recognised as its own', async () => {
  const { system, broken, redrive } = await brokenSystem();
  await using _ = system;
  const envelope = ingesting(system);
  expect(await request(system, envelope)).toMatchObject({ ok: false, failure: { code: 'internal' } });
  broken.now = false;
  const redriven = await redrive(envelope.commandId);
  expect(duplicates(redriven)).toEqual([false]);
  expect(await request(system, envelope)).toEqual(redriven);
  expect(duplicates(await request(system, ingesting(system)))).toEqual([true]);
  expect(eventsOf(system).filter(({ type }) => type === 'message.created')).toHaveLength(1);
  expectSound(system);
});

test('commands derived from one key are handled once', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const send = () =>
    system
      .commands({ idempotencyKey: 'k1' })
      .send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  const first = await send();
  expect(await send()).toEqual(first);
  expect(first.messages[0]?.duplicate).toBe(false);
});

test('bytes that are no envelope are refused', async () => {
  await using system = new ActorSystem();
  const subject = `parley.work.0.conversation.${conversationOf('ann')}`;
  for (const text of ['', '{', 'null', '{}', '{"commandId":"x"}', '[]']) {
    const answer = await system.bus.request(subject, Buffer.from(text), 1_000);
    expect(JSON.parse(Buffer.from(answer).toString())).toMatchObject({ ok: false, failure: { code: 'internal' } });
  }
  await connectTestChannel(system.commands());
  expect(await failureOf(system.commands().send('channel', conversationOf('x'), 'channel.update', {}))).toBe(
    'not_found',
  );
});
