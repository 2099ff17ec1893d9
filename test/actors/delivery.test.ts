import { expect, test } from 'vitest';
import { type AttemptOutcome, maximumAttempts, unknownOutcomeError } from '#machines/message-delivery.ts';
import { grewSubject } from '#src/nats/subjects.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf, sendText, uuid } from './support.ts';

const ann = conversationOf('ann');

/** A conversation with one message of ours in its lane. */
async function sending() {
  const system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  const messageId = await sendText(commands, 'ann', 'hello', true);
  const reader = system.reader();
  let revision = 0;
  const effectId = () => reader.outbox.after(0, 0, 1)[0]?.id ?? '';
  return {
    system,
    commands,
    messageId,
    effectId,
    effects: () => reader.outbox.after(0, 0, 10).map(({ ready }) => ready),
    message: () => reader.messages.find(messageId)!.message,
    async start() {
      const started = await commands.send('conversation', ann, 'attempt.start', { messageId, effectId: effectId() });
      if (started.started) revision = started.revision;
      return started;
    },
    /** @param of the revision of the attempt; default the one that was started last */
    finish: (outcome: AttemptOutcome, of = revision) =>
      commands.send('conversation', ann, 'attempt.finish', { messageId, effectId: effectId(), revision: of, outcome }),
    async advance(ms: number) {
      system.clock.advance(ms);
      await system.settle();
    },
    async [Symbol.asyncDispose]() {
      expectSound(system);
      reader.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

const unreachable = { kind: 'unreachable', error: 'no connection', jitter: 0.5 } as const;
const succeeded = { kind: 'succeeded', sourceMessageId: 's-1', metadata: { tracking: { a: 1 } } } as const;

test('a send waits as pending in its lane', async () => {
  await using send = await sending();
  expect(send.message()).toMatchObject({ state: 'pending', delivery_state: 'pending', from_contact: false });
  expect(send.effects()).toEqual([1]);
});

test('a send is signalled to who carries it, its delivery is not', async () => {
  await using send = await sending();
  const grown: string[] = [];
  send.system.bus.subscribe(grewSubject(0), ({ data }) => grown.push(Buffer.from(data).toString()));
  await sendText(send.commands, 'ann', 'more');
  await send.system.settle();
  expect(grown.map((what) => what.split(' ').includes('outbox'))).toEqual([true]);
  await send.start();
  await send.finish(succeeded);
  await send.system.settle();
  expect(grown.slice(1).some((what) => what.includes('outbox'))).toBe(false);
});

test('a delivered send has the id and words of the source', async () => {
  await using send = await sending();
  expect(await send.start()).toMatchObject({ started: true, attempt: 1 });
  expect(await send.finish(succeeded)).toEqual({ retryAt: null });
  expect(send.message()).toMatchObject({
    state: 'delivered',
    delivery_state: 'delivered',
    metadata: { tracking: { a: 1 }, source: { id: 's-1' } },
  });
  expect(send.effects()).toEqual([]);
  const last = eventsOf(send.system).slice(-2);
  expect(last.map(({ type }) => type)).toEqual(['metadata.updated', 'message.updated']);
  expect(last[0]?.payload).toEqual({
    subject: 'message',
    identifier: send.messageId,
    metadata: { tracking: { a: 1 }, source: { id: 's-1' } },
  });
  expect(await send.finish({ kind: 'rejected', error: 'late' })).toEqual({ retryAt: null });
  expect(send.message().state).toBe('delivered');
});

test('the conversation shows its last message as it is now', async () => {
  await using send = await sending();
  await send.start();
  await send.finish(succeeded);
  await send.commands.send('conversation', ann, 'conversation.set-state', { state: 'OPEN' });
  expect(eventsOf(send.system).at(-1)).toMatchObject({
    type: 'conversation.updated',
    payload: { last_message: { id: send.messageId, state: 'delivered' } },
  });
});

test('the echo of our own message is a duplicate', async () => {
  await using send = await sending();
  await send.start();
  await send.finish(succeeded);
  const body = ingestOf('ann', ['hello']);
  const echo = { ...body.messages[0]!, sourceMessageId: 's-1', fromContact: false };
  const { messages } = await send.commands.send('conversation', ann, 'messages.ingest', { ...body, messages: [echo] });
  expect(messages).toEqual([{ source_message_id: 's-1', id: send.messageId, conversation_id: ann, duplicate: true }]);
  expect(rowsOf(send.system.file).message).toHaveLength(1);
});

test('an id that another message has is not taken', async () => {
  await using send = await sending();
  const body = ingestOf('ann', ['first']);
  await send.commands.send('conversation', ann, 'messages.ingest', body);
  await send.start();
  const taken = body.messages[0]!.sourceMessageId;
  await send.finish({ ...succeeded, sourceMessageId: taken });
  expect(send.message()).toMatchObject({ state: 'delivered', metadata: { source: { id: taken } } });
  const { message, dead_letter } = rowsOf(send.system.file);
  expect(message.filter((row) => row.source_message_id === taken)).toHaveLength(1);
  expect(dead_letter).toEqual([]);
});

test.each(['rejected', 'channel_not_connected'] as const)('%s fails the send at once', async (kind) => {
  await using send = await sending();
  await send.start();
  expect(await send.finish({ kind, error: 'no such number' })).toEqual({ retryAt: null });
  expect(send.message()).toMatchObject({ state: 'failed', metadata: { error: 'no such number' } });
  expect(send.effects()).toEqual([]);
});

test('an unreachable source is tried again after a wait', async () => {
  await using send = await sending();
  await send.start();
  const events = eventsOf(send.system).length;
  const now = send.system.clock.now();
  expect(await send.finish(unreachable)).toEqual({ retryAt: now + 1_000 });
  expect(send.effects()).toEqual([0]);
  expect(await send.start()).toMatchObject({ started: false });
  await send.advance(999);
  expect(send.effects()).toEqual([0]);
  await send.advance(1);
  expect(send.effects()).toEqual([1]);
  expect(await send.start()).toMatchObject({ started: true, attempt: 2 });
  expect(await send.finish(unreachable)).toEqual({ retryAt: send.system.clock.now() + 2_000 });
  expect(eventsOf(send.system)).toHaveLength(events);
  await send.system.restart();
  await send.advance(2_000);
  expect(await send.start()).toMatchObject({ started: true, attempt: 3 });
});

test('a source unreachable for five tries fails the send', async () => {
  await using send = await sending();
  for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
    expect(await send.start()).toMatchObject({ started: true, attempt });
    expect(send.message().state).toBe('pending');
    await send.finish(unreachable);
    await send.advance(60_000);
  }
  expect(send.message()).toMatchObject({ state: 'failed', metadata: { error: 'no connection' } });
  expect(send.effects()).toEqual([]);
});

test('a throttled try is not counted', async () => {
  await using send = await sending();
  for (let n = 0; n < maximumAttempts + 2; n++) {
    expect(await send.start()).toMatchObject({ started: true, attempt: 1 });
    const retryAt = send.system.clock.now() + 7_000;
    expect(await send.finish({ kind: 'throttled', error: 'slow down', retryAfter: 7_000 })).toEqual({ retryAt });
    await send.advance(7_000);
  }
  expect(send.effects()).toEqual([1]);
});

test('an unknown outcome is shown and tried again', async () => {
  await using send = await sending();
  await send.start();
  expect(await send.finish({ kind: 'outcome_unknown' })).toEqual({ retryAt: send.system.clock.now() });
  expect(send.message()).toMatchObject({ state: 'pending', metadata: { outcome_unknown: true } });
  expect(send.effects()).toEqual([1]);
  for (let n = 1; n < maximumAttempts; n++) {
    await send.start();
    await send.finish({ kind: 'outcome_unknown' });
  }
  expect(send.message()).toMatchObject({
    state: 'failed',
    metadata: { outcome_unknown: true, error: unknownOutcomeError },
  });
});

test('a failed send can be resent, another can not', async () => {
  await using send = await sending();
  const resend = () => send.commands.send('conversation', ann, 'message.resend', { messageId: send.messageId });
  expect(await failureOf(resend())).toBe('message_not_failed');
  await send.start();
  const first = send.effectId();
  await send.finish({ kind: 'rejected', error: 'busy' });
  const { message } = await resend();
  expect(message).toMatchObject({ state: 'pending', metadata: {} });
  expect(send.effects()).toEqual([1]);
  expect(send.effectId()).not.toBe(first);
  const late = { messageId: send.messageId, effectId: first, revision: 1, outcome: succeeded };
  expect(await send.commands.send('conversation', ann, 'attempt.finish', late)).toEqual({ retryAt: null });
  expect(send.message().state).toBe('pending');
  expect(await send.start()).toMatchObject({ started: true, attempt: 1 });
  await send.finish(succeeded);
  expect(send.message().state).toBe('delivered');
});

test('an attempt with a foreign effect does not start', async () => {
  await using send = await sending();
  const about = { messageId: send.messageId, effectId: uuid() };
  expect(await send.commands.send('conversation', ann, 'attempt.start', about)).toMatchObject({ started: false });
});

test('an attempt in progress is not started twice', async () => {
  await using send = await sending();
  await send.start();
  expect(await send.start()).toMatchObject({ started: false });
});

test.each<[AttemptOutcome, string]>([
  [{ kind: 'rejected', error: 'no' }, 'pending'],
  [unreachable, 'pending'],
  [{ kind: 'throttled', error: 'busy', retryAfter: 1_000 }, 'pending'],
  [{ kind: 'outcome_unknown' }, 'pending'],
  [succeeded, 'delivered'],
])('an attempt in progress is not ended by another: %j', async (outcome, state) => {
  await using send = await sending();
  const { revision } = await send.start();
  await send.finish({ kind: 'outcome_unknown' });
  await send.start();
  await send.finish(outcome, revision);
  expect([send.message().state, send.effects()]).toEqual([state, state === 'pending' ? [1] : []]);
  expect(await send.start()).toMatchObject({ started: false });
  await send.finish(succeeded);
  expect(send.message().state).toBe('delivered');
});

test('a command about a foreign message is refused', async () => {
  await using send = await sending();
  const { commands, messageId } = send;
  const bob = conversationOf('bob');
  await commands.send('conversation', bob, 'messages.ingest', ingestOf('bob', ['hi']));
  expect(await failureOf(commands.send('conversation', bob, 'message.resend', { messageId }))).toBe('not_found');
  const suggested = { messageId, suggestions: {} };
  expect(await failureOf(commands.send('conversation', bob, 'message.suggest-replies', suggested))).toBe('not_found');
  const about = { messageId, effectId: uuid() };
  expect(await failureOf(commands.send('conversation', bob, 'attempt.start', about))).toBe('not_found');
});
