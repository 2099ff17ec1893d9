import { expect, test } from 'vitest';
import { ann, hear, sending, succeeded } from './sending.ts';
import { eventsOf } from './support.ts';

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
  [['failed', 'sent'], 'failed'],
  [['sent', 'undelivered', 'read'], 'undelivered'],
  [['canceled', 'delivered'], 'canceled'],
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
