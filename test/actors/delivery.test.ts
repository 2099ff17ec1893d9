import { expect, test } from 'vitest';
import {
  type AttemptOutcome,
  fewestAttempts,
  mostUnknownOutcomes,
  unknownOutcomeError,
} from '#machines/message-delivery.ts';
import type { JsonObject } from '#actors/representation.ts';
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

const giveUpAfter = 10 * 60_000;
const unreachable = { kind: 'unreachable', error: 'no connection', jitter: 0.5, giveUpAfter } as const;
const throttled = { kind: 'throttled', error: 'slow down', retryAfter: 7_000, giveUpAfter } as const;
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

test('an answer writes nothing that is the hub’s own', async () => {
  await using send = await sending();
  await send.start();
  const metadata = { user_data: { mine: 1 }, suggestions: {}, tracking: 1 };
  await send.finish({ kind: 'succeeded', sourceMessageId: null, metadata });
  expect(send.message().metadata).toEqual({
    tracking: 1,
    left_out: 'What the source said of it: user_data and suggestions are the hub’s own.',
  });
});

test.each([
  ['large', { tracking: 'x'.repeat(64 * 1024) }, 'the metadata would have 65551 bytes, and at most 65536 are kept'],
  ['deep', JSON.parse(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`), 'the metadata would be nested deeper than 32 levels'],
])('an answer too %s delivers without what it says', async (_, metadata, reason) => {
  await using send = await sending();
  await send.commands.send('conversation', ann, 'metadata.upsert', { messageId: send.messageId, data: { a: 1 } });
  await send.start();
  expect(await send.finish({ kind: 'succeeded', sourceMessageId: 's-1', metadata })).toEqual({ retryAt: null });
  const left_out = `What the source said of it: ${reason}.`;
  expect(send.message()).toMatchObject({ state: 'delivered' });
  expect(send.message().metadata).toEqual({ user_data: { a: 1 }, left_out, source: { id: 's-1' } });
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
  const last = eventsOf(send.system).slice(-3);
  expect(last.map(({ type }) => type)).toEqual(['metadata.updated', 'message.updated', 'conversation.updated']);
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

test('a change of the last message changes its conversation', async () => {
  await using send = await sending();
  const lastStates = () =>
    eventsOf(send.system)
      .filter(({ type }) => type === 'conversation.updated')
      .map(({ payload }) => (payload['last_message'] as JsonObject)['state']);
  await send.start();
  await send.finish({ kind: 'rejected', error: 'busy' });
  await send.commands.send('conversation', ann, 'message.resend', { messageId: send.messageId });
  await send.start();
  await send.finish(succeeded);
  await hear(send, { error: 'Undeliverable.' });
  expect(lastStates()).toEqual(['pending', 'failed', 'pending', 'delivered', 'failed']);
  await send.commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['later']));
  const told = lastStates().length;
  await hear(send, { error: 'Undeliverable still.' });
  await send.commands.send('conversation', ann, 'message.resend', { messageId: send.messageId });
  await send.start();
  await send.finish(succeeded);
  expect(lastStates()).toHaveLength(told);
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

test('a source out of reach for ten minutes fails the send', async () => {
  await using send = await sending();
  const begin = send.system.clock.now();
  let attempt = 0;
  while (send.message().state === 'pending') {
    expect(await send.start()).toMatchObject({ started: true, attempt: ++attempt });
    await send.finish(unreachable);
    await send.advance(60_000);
  }
  // The first call was made at once, and the last one when the time was up.
  expect([attempt, send.system.clock.now() - begin]).toEqual([11, giveUpAfter + 60_000]);
  expect(send.message()).toMatchObject({ metadata: { error: 'no connection (given up after 600 s)' } });
  expect(send.effects()).toEqual([]);
});

test.each([0, 1])('five calls are made in vain, and %i that nobody knows of', async (unknown) => {
  await using send = await sending();
  for (let call = 1; call <= unknown; call++) {
    await send.start();
    await send.finish({ kind: 'outcome_unknown' });
  }
  for (let call = 1; call <= fewestAttempts; call++) {
    expect(send.message().state).toBe('pending');
    await send.start();
    await send.finish(unreachable);
    await send.advance(60_000);
    await send.advance(giveUpAfter);
  }
  expect(send.message().state).toBe('failed');
});

test('a resent send has all of its time again', async () => {
  await using send = await sending();
  await send.start();
  await send.finish({ kind: 'rejected', error: 'busy' });
  await send.advance(2 * giveUpAfter);
  await send.commands.send('conversation', ann, 'message.resend', { messageId: send.messageId });
  await send.start();
  await send.finish(throttled);
  expect(send.message().state).toBe('pending');
});

test('a source that asks to wait is told of, and obeyed', async () => {
  await using send = await sending();
  for (let n = 0; n < fewestAttempts + 2; n++) {
    const events = eventsOf(send.system).length;
    expect(await send.start()).toMatchObject({ started: true, attempt: 1 });
    const retryAt = send.system.clock.now() + 7_000;
    expect(await send.finish(throttled)).toEqual({ retryAt });
    const error = 'slow down (the source asked to wait)';
    expect(send.message()).toMatchObject({ state: 'pending', metadata: { error } });
    const told = eventsOf(send.system).slice(events);
    const message = { id: send.messageId, state: 'pending', metadata: { error } };
    expect(told).toMatchObject(n === 0 ? [{ payload: { metadata: { error } } }, { payload: { message } }] : []);
    await send.advance(7_000);
  }
  expect(send.effects()).toEqual([1]);
  await send.start();
  await send.finish(succeeded);
  expect(send.message().metadata).not.toHaveProperty('error');
});

test('a source that asks to wait for ever fails the send', async () => {
  await using send = await sending();
  await send.start();
  const end = send.system.clock.now() + giveUpAfter;
  expect(await send.finish({ ...throttled, retryAfter: 24 * 3_600_000 })).toEqual({ retryAt: end });
  await send.advance(giveUpAfter);
  await send.start();
  expect(await send.finish(throttled)).toEqual({ retryAt: null });
  expect(send.message()).toMatchObject({ state: 'failed', metadata: { error: 'slow down (given up after 600 s)' } });
});

test('an unknown outcome is shown and tried again', async () => {
  await using send = await sending();
  await send.start();
  expect(await send.finish({ kind: 'outcome_unknown' })).toEqual({ retryAt: send.system.clock.now() });
  expect(send.message()).toMatchObject({ state: 'pending', metadata: { outcome_unknown: true } });
  expect(send.effects()).toEqual([1]);
  for (let n = 0; n < mostUnknownOutcomes; n++) {
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

const hear = ({ commands, messageId }: Awaited<ReturnType<typeof sending>>, ...metadata: JsonObject[]) =>
  commands.send('conversation', ann, 'metadata.merge', { about: [{ messageId, metadata }] });

test.each([
  ['Undeliverable.', 'Undeliverable.'],
  [{ code: 131 }, '{"code":131}'],
])('an error of the source after delivery fails the send: %j', async (error, shown) => {
  await using send = await sending();
  await send.start();
  await send.finish(succeeded);
  const events = eventsOf(send.system).length;
  await hear(send, { error, code: 131 });
  const metadata = { tracking: { a: 1 }, source: { id: 's-1' }, code: 131, error: shown };
  expect(send.message()).toMatchObject({ state: 'failed', metadata });
  const told = eventsOf(send.system).slice(events);
  expect(told.find(({ type }) => type === 'message.updated')).toMatchObject({
    payload: { message: { state: 'failed' } },
  });
  const { message } = await send.commands.send('conversation', ann, 'message.resend', { messageId: send.messageId });
  expect(message).toMatchObject({ state: 'pending' });
  expect(message.metadata).not.toHaveProperty('error');
});

test('a failed send keeps the last word of its source', async () => {
  await using send = await sending();
  await send.start();
  await send.finish({ kind: 'rejected', error: 'busy' });
  await hear(send, { error: 'still busy' });
  await hear(send, { error: null, a: 1 });
  expect(send.message()).toMatchObject({ state: 'failed', metadata: { error: 'still busy', a: 1 } });
});

test('an error about an earlier try does not end a later one', async () => {
  await using send = await sending();
  await send.start();
  await send.finish({ kind: 'rejected', error: 'busy' });
  await send.commands.send('conversation', ann, 'message.resend', { messageId: send.messageId });
  await hear(send, { error: 'late', a: 1 });
  expect(send.message()).toMatchObject({ state: 'pending', metadata: { a: 1 } });
  expect(send.message().metadata).not.toHaveProperty('error');
});

test('an error in an answer that accepts is kept, as a word', async () => {
  await using send = await sending();
  await send.start();
  await send.finish({ ...succeeded, metadata: { error: 'one of two numbers is old' } });
  expect(send.message()).toMatchObject({ state: 'delivered', metadata: { error: 'one of two numbers is old' } });
  await hear(send, { source: { delivery_state: 'sent' } });
  expect(send.message()).toMatchObject({ state: 'delivered', metadata: { error: 'one of two numbers is old' } });
});

test.each([
  [['sent', 'delivered', 'seen'], 'seen'],
  [['seen', 'delivered', 'sent'], 'seen'],
  [['DELIVERED', 'sent'], 'DELIVERED'],
  [['seen', 'read'], 'read'],
  [['seen', null, 'sent'], 'seen'],
  [['delivered', 'played'], 'played'],
  [['played', 'sent'], 'sent'],
])('receipts %j show %s, said at once or not', async (states, shown) => {
  const receipts = states.map((delivery_state) => ({ source: { delivery_state } }));
  for (const saying of [receipts.map((receipt) => [receipt]), [receipts]]) {
    await using send = await sending();
    await send.start();
    await send.finish(succeeded);
    for (const said of saying) await hear(send, ...said);
    expect(send.message().metadata['source']).toEqual({ id: 's-1', delivery_state: shown });
  }
});

test('what a source says can not take its receipts back', async () => {
  await using send = await sending();
  await send.start();
  await send.finish({ ...succeeded, metadata: { source: { delivery_state: 'seen' } } });
  for (const source of [null, 'gone', { id: 's-1' }]) await hear(send, { source });
  expect(send.message().metadata['source']).toEqual({ id: 's-1', delivery_state: 'seen' });
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
  [throttled, 'pending'],
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

test('a source knows a conversation once a message was exchanged', async () => {
  await using send = await sending();
  const reader = send.system.reader();
  const known = () =>
    reader.outbox.after(0, 0, 10).map(({ subject }) => reader.deliveries.find(subject)?.knownToSource);
  await sendText(send.commands, 'ann', 'more');
  expect(known()).toEqual([false, false]);
  await send.start();
  await send.finish(succeeded);
  expect(known()).toEqual([true]);
  await sendText(send.commands, 'bob', 'hello', true);
  await send.commands.send('conversation', conversationOf('bob'), 'messages.ingest', ingestOf('bob', ['hi']));
  expect(known()).toEqual([true, true]);
  reader.close();
});
