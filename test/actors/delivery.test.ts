import { expect, test } from 'vitest';
import type { JsonObject } from '#actors/representation.ts';
import { grewSubject } from '#src/nats/subjects.ts';
import { conversationOf, ingestOf } from '../_support/actor-system.ts';
import { ann, hear, sending, succeeded } from './sending.ts';
import { eventsOf, failureOf, rowsOf, sendText, uuid } from './support.ts';

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
