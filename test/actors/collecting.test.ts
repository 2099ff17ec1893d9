import { expect, test } from 'vitest';
import { ann, sending, succeeded } from './sending.ts';
import { eventsOf, failureOf, rowsOf, sendText, uuid } from './support.ts';

const awaited = { kind: 'awaits_recipient' } as const;

const turnsOf = ({ system }: Awaited<ReturnType<typeof sending>>): number => rowsOf(system.file).journal.length;

test('a send that its contact comes for leaves its lane, and waits', async () => {
  await using send = await sending();
  const before = eventsOf(send.system).length;
  expect(await send.finish(awaited)).toEqual({ retryAt: null });
  expect(send.effects()).toEqual([]);
  expect(send.message()).toMatchObject({ state: 'pending', metadata: {} });
  expect(eventsOf(send.system)).toHaveLength(before);
  await send.system.restart();
  await send.advance(3_600_000);
  expect(send.message().state).toBe('pending');
  expect(rowsOf(send.system.file).timer).toEqual([]);
});

test.each([
  ['before its lane has got to it', () => Promise.resolve()],
  ['after it', (send: Awaited<ReturnType<typeof sending>>) => send.finish(awaited)],
])('a send is collected %s', async (_, carry) => {
  await using send = await sending();
  await carry(send);
  const collect = () => send.commands.send('conversation', ann, 'messages.collect', { messageIds: [send.messageId] });
  expect(await collect()).toEqual({ collected: [send.messageId] });
  expect(send.message().state).toBe('delivered');
  expect(send.effects()).toEqual([]);
  const last = eventsOf(send.system).slice(-2);
  expect(last.map(({ type }) => type)).toEqual(['message.updated', 'conversation.updated']);
  const turns = turnsOf(send);
  expect(await collect()).toEqual({ collected: [send.messageId] });
  expect(turnsOf(send)).toBe(turns);
  expect(await send.finish(awaited)).toEqual({ retryAt: null });
  expect(send.message().state).toBe('delivered');
});

test('only messages of the conversation are collected', async () => {
  await using send = await sending();
  const other = await sendText(send.commands, 'bob', 'hello', true);
  for (const id of [uuid(), other]) {
    const collect = send.commands.send('conversation', ann, 'messages.collect', { messageIds: [send.messageId, id] });
    expect(await failureOf(collect)).toBe('not_found');
  }
  expect(send.message().state).toBe('pending');
});

test('the oldest pending message is found by its turn', async () => {
  await using send = await sending();
  const reader = send.system.reader();
  try {
    const [first] = rowsOf(send.system.file).message;
    await sendText(send.commands, 'ann', 'more');
    expect(reader.messages.oldestPending(ann)).toBe(first!['turn']);
    await send.start();
    await send.finish(succeeded);
    expect(reader.messages.oldestPending(ann)).toBeGreaterThan(first!['turn'] as number);
    expect(reader.messages.oldestPending(uuid())).toBeNull();
  } finally {
    reader.close();
  }
});
