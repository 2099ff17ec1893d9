import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';

test.each([1, 4])('an ingested message can be read, with %i shards', async (shards) => {
  await using system = new ActorSystem({ shards });
  const commands = system.commands();
  await connectTestChannel(commands);
  const id = conversationOf('ann');
  const { messages } = await commands.send('conversation', id, 'messages.ingest', ingestOf('ann', ['hello', 'again']));
  expect(messages.map((message) => message.duplicate)).toEqual([false, false]);
  const reader = system.reader();
  const conversation = reader.conversations.find(id);
  expect(conversation).toMatchObject({ id, unread_count: 2, last_message: { content: { text: 'again' } } });
  const page = reader.messages.page(id, { limit: 10, from: null }, 'asc');
  expect(page.items.map((message) => message.content)).toEqual([{ text: 'hello' }, { text: 'again' }]);
  const events = reader.feed.read({ after: [], limit: 100 }).map(({ event }) => `${event.type} ${event.seq}`);
  expect(events.sort()).toEqual([
    'channel.updated 1',
    'conversation.updated 3',
    'message.created 1',
    'message.created 2',
  ]);
  reader.close();
});
