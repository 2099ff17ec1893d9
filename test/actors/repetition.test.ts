import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { envelopeFor, eventsOf, expectSound, failureOf, request, rowsOf, uuid } from './support.ts';

const ingestOnce = (system: ActorSystem) =>
  envelopeFor(system, 'conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));

test('a command sent twice in one batch is handled once', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const envelope = ingestOnce(system);
  const [first, second] = await Promise.all([request(system, envelope), request(system, envelope)]);
  expect(first).toMatchObject({ ok: true, result: { messages: [{ duplicate: false }] } });
  expect(second).toEqual(first);
  expect(rowsOf(system.file).message).toHaveLength(1);
});

test('a command sent again later gets its first answer', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const envelope = ingestOnce(system);
  const first = await request(system, envelope);
  const events = eventsOf(system);
  const before = rowsOf(system.file);
  expect(await request(system, envelope)).toEqual(first);
  expect(eventsOf(system)).toEqual(events);
  expect(rowsOf(system.file)).toEqual(before);
});

test('a command id is remembered over a restart', async () => {
  await using system = new ActorSystem({ shards: 4 });
  await connectTestChannel(system.commands());
  const envelope = ingestOnce(system);
  const first = await request(system, envelope);
  await system.restart();
  expect(await request(system, envelope)).toEqual(first);
  expectSound(system);
});

test('an ingest with one new message stores that one', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  await request(system, ingestOnce(system));
  const id = conversationOf('ann');
  const more = envelopeFor(system, 'conversation', id, 'messages.ingest', ingestOf('ann', ['hi', 'there']));
  const answer = { messages: [{ duplicate: true }, { duplicate: false }] };
  expect(await request(system, more)).toMatchObject({ ok: true, result: answer });
  expect(await request(system, more)).toMatchObject({ ok: true, result: answer });
  expect(rowsOf(system.file).message).toHaveLength(2);
  expectSound(system);
});

test('an expired repeat gets the answer of what was done', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const ingest = ingestOnce(system);
  const send = { messageId: uuid(), content: { text: 'ho' }, sender: { id: 'agent' } };
  const sending = envelopeFor(system, 'conversation', conversationOf('ann'), 'message.send', send);
  const [ingested, sent] = [await request(system, ingest), await request(system, sending)];
  system.clock.advance(60_000);
  expect(await request(system, ingest)).toEqual(ingested);
  expect(await request(system, sending)).toEqual({ ...sent, replayed: true });
  expect(await request(system, { ...ingest, commandId: uuid() })).toMatchObject({
    failure: { code: 'deadline_exceeded' },
  });
});

test('a refusal is answered the same again', async () => {
  await using system = new ActorSystem();
  const id = conversationOf('ann');
  const envelope = envelopeFor(system, 'conversation', id, 'conversation.mark-read', null);
  const first = await request(system, envelope);
  expect(first).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  await connectTestChannel(system.commands());
  await system.commands().send('conversation', id, 'messages.ingest', ingestOf('ann', ['hi']));
  expect(await request(system, envelope)).toEqual({ ...first, replayed: true });
  expect(rowsOf(system.file).conversation).toMatchObject([{ unread_count: 1 }]);
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
