import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, rowsOf, sendText } from './support.ts';
import { itemsOf } from '../_support/pages.ts';

const ann = conversationOf('ann');

async function connected(): Promise<ActorSystem> {
  const system = new ActorSystem();
  await connectTestChannel(system.commands());
  return system;
}

const textsOf = (system: ActorSystem): unknown[] => {
  const reader = system.reader();
  const items = itemsOf(reader.messages.page(ann, { limit: 100, from: null }, 'asc'));
  reader.close();
  return items.map(({ content }) => (content as { text: string }).text);
};

const lanesOf = (system: ActorSystem) => {
  const rows = rowsOf(system.file);
  return rows.outbox.map(({ subject }) => {
    const message = rows.message.find(({ key }) => key === subject);
    return JSON.parse(message?.content as string).text as string;
  });
};

test('a send to an unknown conversation is parked', async () => {
  await using system = await connected();
  const result = await system.commands().send('conversation', ann, 'message.send', {
    messageId: conversationOf('m'),
    content: { text: 'hello?' },
    sender: { id: 'test:agent', name: 'Agent' },
  });
  expect(result).toEqual({ message: null });
  const reader = system.reader();
  expect(reader.conversations.find(ann)).toBeNull();
  expect(reader.messages.find(conversationOf('m'))).toBeNull();
  reader.close();
  expect(rowsOf(system.file)).toMatchObject({ parked_send: [{}], outbox: [], conversation: [{ created_at: null }] });
});

test('parked sends go out in order when it appears', async () => {
  await using system = await connected();
  const commands = system.commands();
  for (const text of ['one', 'two', 'three']) await sendText(commands, 'ann', text);
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  await sendText(commands, 'ann', 'four');
  expect(lanesOf(system)).toEqual(['one', 'two', 'three', 'four']);
  expect(textsOf(system)).toEqual(expect.arrayContaining(['hi', 'one', 'two', 'three', 'four']));
  const created = eventsOf(system).filter(({ type }) => type === 'message.created');
  expect(created).toHaveLength(5);
  expect(rowsOf(system.file)).toMatchObject({ parked_send: [], timer: [] });
  expectSound(system);
});

test('a released send keeps its id and sender', async () => {
  await using system = await connected();
  const commands = system.commands();
  const messageId = await sendText(commands, 'ann', 'hello?');
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  const reader = system.reader();
  expect(reader.messages.find(messageId)?.message).toMatchObject({ state: 'pending', sender: { id: 'test:agent' } });
  expect(reader.conversations.find(ann)?.unread_count).toBe(1);
  reader.close();
});

test('starting the conversation releases what was parked', async () => {
  await using system = await connected();
  const commands = system.commands();
  await sendText(commands, 'ann', 'one');
  await sendText(commands, 'ann', 'two', true);
  expect(lanesOf(system)).toEqual(['one', 'two']);
  const reader = system.reader();
  expect(reader.conversations.find(ann)).toMatchObject({ last_message: { content: { text: 'two' } }, unread_count: 0 });
  reader.close();
  expectSound(system);
});

test('starting a conversation twice makes one', async () => {
  await using system = await connected();
  const commands = system.commands();
  await sendText(commands, 'ann', 'one', true);
  await sendText(commands, 'ann', 'two', true);
  const { conversation, message } = rowsOf(system.file);
  expect([conversation.length, message.length]).toEqual([1, 2]);
});

/** The actor, its messages given up. */
async function givenUp() {
  const system = await connected();
  const commands = system.commands();
  const sent = [await sendText(commands, 'ann', 'one'), await sendText(commands, 'ann', 'two')];
  system.clock.advance(30_000);
  await system.settle();
  const reader = system.reader();
  return {
    ...{ system, commands, sent },
    statesOf: () => sent.map((id) => reader.messages.find(id)?.message.state),
    message: () => reader.messages.find(sent[0]!)!.message,
    resend: (messageId = sent[0]!) => commands.send('conversation', ann, 'message.resend', { messageId }),
    async wait() {
      system.clock.advance(30_000);
      await system.settle();
    },
    async [Symbol.asyncDispose]() {
      expectSound(system);
      reader.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

const missing = `The conversation ${ann} did not appear within 30 seconds; the message was not sent.`;

test('a send that was given up is kept as failed', async () => {
  await using given = await givenUp();
  expect(given.message()).toMatchObject({ state: 'failed', metadata: { error: missing }, content: { text: 'one' } });
  const told = eventsOf(given.system).filter(({ type }) => type.startsWith('message.'));
  const [created, updated] = told;
  expect(told.map(({ type }) => type).slice(0, 2)).toEqual(['message.created', 'message.updated']);
  expect(created?.payload).toMatchObject({ conversation_id: ann, message: { id: given.sent[0], state: 'pending' } });
  const message = { id: given.sent[0], state: 'failed', metadata: { error: missing } };
  expect(updated?.payload).toMatchObject({ conversation_id: ann, message });
  const before = eventsOf(given.system);
  await given.commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  expect(eventsOf(given.system).slice(0, before.length)).toEqual(before);
});

test('resent, it waits again, and is given up again', async () => {
  await using given = await givenUp();
  expect(await given.resend()).toMatchObject({ message: { state: 'pending', metadata: {} } });
  expect(await failureOf(given.resend())).toBe('message_not_failed');
  await given.wait();
  expect(given.message()).toMatchObject({ state: 'failed', metadata: { error: missing } });
});

test('resent, it goes out when the conversation appears', async () => {
  await using given = await givenUp();
  await given.resend();
  await sendText(given.commands, 'ann', 'three');
  await given.commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  expect(given.statesOf()).toEqual(['pending', 'failed']);
  expect(lanesOf(given.system)).toEqual(['one', 'three']);
  await given.resend(given.sent[1]);
  expect(lanesOf(given.system)).toEqual(['one', 'three', 'two']);
  const created = eventsOf(given.system).filter(({ type }) => type === 'message.created');
  expect(created).toHaveLength(4);
});

test('sends given up after 30 s are reported in order', async () => {
  await using system = await connected();
  const commands = system.commands();
  const sent = [await sendText(commands, 'ann', 'one'), await sendText(commands, 'ann', 'two')];
  system.clock.advance(30_000);
  await system.settle();
  const given = eventsOf(system).filter(({ type }) => type === 'metadata.updated');
  expect(given.map(({ payload }) => payload)).toEqual(
    sent.map((identifier) => ({ subject: 'message', identifier, metadata: { error: missing } })),
  );
  expect(given.map(({ seq }) => seq)).toEqual([2, 5]);
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  expect(textsOf(system)).toEqual(expect.arrayContaining(['hi', 'one', 'two']));
  expect(lanesOf(system)).toEqual([]);
  expectSound(system);
});
