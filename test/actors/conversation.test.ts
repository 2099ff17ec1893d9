import { expect, test } from 'vitest';
import type { JsonObject } from '#actors/representation.ts';
import {
  ActorSystem,
  connectTestChannel,
  conversationOf,
  ingestOf,
  testChannel,
  testSource,
} from '../_support/actor-system.ts';
import { eventsOf, expectSound, failureOf, originOf, rowsOf, sendText, uuid } from './support.ts';
import { itemsOf } from '../_support/pages.ts';

const ann = conversationOf('ann');

/** A system with the test channel and two messages of a contact. */
async function talking(texts = ['hello', 'again']) {
  const system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', texts));
  const reader = system.reader();
  return {
    system,
    commands,
    reader,
    ann: () => reader.conversations.find(ann)!,
    events: () => eventsOf(system).filter(({ type }) => type !== 'channel.updated'),
    async [Symbol.asyncDispose]() {
      expectSound(system);
      reader.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

test.each([1, 4])('an ingested message can be read, with %i shards', async (shards) => {
  await using system = new ActorSystem({ shards });
  const commands = system.commands();
  await connectTestChannel(commands);
  const { messages } = await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hello', 'again']));
  expect(messages.map((message) => message.duplicate)).toEqual([false, false]);
  const reader = system.reader();
  const conversation = reader.conversations.find(ann);
  expect(conversation).toMatchObject({ id: ann, unread_count: 2, last_message: { content: { text: 'again' } } });
  const page = reader.messages.page(ann, { limit: 10, from: null }, 'asc');
  expect(itemsOf(page).map((message) => message.content)).toEqual([{ text: 'hello' }, { text: 'again' }]);
  const events = reader.feed.read({ after: [], limit: 100 }).entries.map(({ event }) => `${event.type} ${event.seq}`);
  expect(events.sort()).toEqual([
    'channel.updated 1',
    'conversation.updated 3',
    'message.created 1',
    'message.created 2',
  ]);
  reader.close();
});

test('a message keeps what its source said of it', async () => {
  await using talk = await talking(['hello']);
  const [{ id } = { id: '' }] = itemsOf(talk.reader.messages.page(ann, { limit: 1, from: null }, 'asc'));
  const message = {
    id,
    content: { text: 'hello' },
    state: 'delivered',
    delivery_state: 'delivered',
    from_contact: true,
    sent_at: '2026-01-01T00:00:00.000Z',
    source: testSource,
    metadata: {},
    sender: { id: 'ann' },
  };
  expect(talk.reader.messages.find(id)).toEqual({ message, conversationId: ann, channelId: testChannel });
  expect(talk.events()[0]?.payload).toEqual({ conversation_id: ann, channel_id: testChannel, message });
});

test('a message ingested again is a duplicate', async () => {
  await using talk = await talking(['one']);
  const events = talk.events();
  const body = ingestOf('ann', ['one', 'two']);
  const twice = { ...body, messages: [...body.messages, body.messages[1]!] };
  const { messages } = await talk.commands.send('conversation', ann, 'messages.ingest', twice);
  expect(messages.map(({ duplicate }) => duplicate)).toEqual([true, false, true]);
  expect(messages[1]?.id).toBe(messages[2]?.id);
  expect(talk.events().length - events.length).toBe(2);
  await talk.commands.send('conversation', ann, 'messages.ingest', body);
  expect(talk.events().length - events.length).toBe(2);
  expect(talk.ann().unread_count).toBe(2);
});

test('an older message does not become the last one', async () => {
  await using talk = await talking();
  const body = ingestOf('ann', ['earlier'], 'old');
  const messages = body.messages.map((message) => ({ ...message, sentAt: message.sentAt - 60_000 }));
  await talk.commands.send('conversation', ann, 'messages.ingest', { ...body, messages });
  expect(talk.ann()).toMatchObject({ unread_count: 3, last_message: { content: { text: 'again' } } });
});

test("only the contact's messages count as unread", async () => {
  await using talk = await talking(['hello']);
  const body = ingestOf('ann', ['by an agent elsewhere'], 'agent');
  const messages = body.messages.map((message) => ({ ...message, fromContact: false }));
  await talk.commands.send('conversation', ann, 'messages.ingest', { ...body, messages });
  await sendText(talk.commands, 'ann', 'ours');
  expect(talk.ann()).toMatchObject({ unread_count: 1, metadata: { unread_count: 1 } });
});

test('marking read counts from nothing and is told once', async () => {
  await using talk = await talking();
  const before = talk.events().length;
  await talk.commands.send('conversation', ann, 'conversation.mark-read', null);
  await talk.commands.send('conversation', ann, 'conversation.mark-read', null);
  expect(talk.events().slice(before)).toMatchObject([
    { type: 'metadata.updated', payload: { subject: 'conversation', identifier: ann, metadata: { unread_count: 0 } } },
    { type: 'conversation.updated', payload: { id: ann, metadata: { unread_count: 0 } } },
  ]);
  await talk.system.restart();
  await talk.commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['more'], 'more'));
  expect(talk.ann().unread_count).toBe(1);
});

test('a contact without a name is called after the source', async () => {
  await using talk = await talking();
  const name = `Acme ${ann.slice(-5)}`;
  expect(talk.ann().metadata.contact).toEqual({ displayName: name, display_name: name });
  await talk.commands.send('conversation', conversationOf('sms'), 'message.send', {
    messageId: uuid(),
    content: 1,
    sender: { id: 'a' },
    origin: { ...originOf('sms'), source: 'telco.sms' },
  });
  const conversation = talk.reader.conversations.find(conversationOf('sms'));
  expect(conversation?.metadata.contact).toMatchObject({ display_name: `Sms ${conversationOf('sms').slice(-5)}` });
});

test('a contact gets the name it is given', async () => {
  await using talk = await talking();
  await talk.commands.send('conversation', ann, 'conversation.update-contact', { displayName: 'Ann Ö.' });
  expect(talk.ann().metadata.contact).toEqual({ displayName: 'Ann Ö.', display_name: 'Ann Ö.' });
  expect(talk.events().at(-1)).toMatchObject({
    type: 'conversation.updated',
    payload: { metadata: { contact: { displayName: 'Ann Ö.' } } },
  });
  expect(rowsOf(talk.system.file).conversation[0]?.display_name).toBe('Ann Ö.');
});

test('a source names a contact in its metadata', async () => {
  await using talk = await talking();
  const metadata = { contact: { displayName: 'Ann', avatar_url: 'https://img' }, plan: 'gold' };
  await talk.commands.send('conversation', ann, 'metadata.merge', {
    about: [{ messageId: null, metadata: [metadata] }],
  });
  expect(talk.ann().metadata).toEqual({
    contact: { displayName: 'Ann', display_name: 'Ann', avatar_url: 'https://img' },
    plan: 'gold',
    unread_count: 2,
  });
});

test('the newer spelling of a contact name wins', async () => {
  await using talk = await talking();
  const old = { contact: { display_name: 'Old' } };
  await talk.commands.send('conversation', ann, 'metadata.merge', { about: [{ messageId: null, metadata: [old] }] });
  const metadata = { contact: { displayName: 'New' } };
  await talk.commands.send('conversation', ann, 'metadata.merge', {
    about: [{ messageId: null, metadata: [metadata] }],
  });
  expect(talk.ann().metadata.contact).toEqual({ displayName: 'New', display_name: 'New' });
});

test('metadata that says nothing new is not told', async () => {
  await using talk = await talking(['hello']);
  const messageId = itemsOf(talk.reader.messages.page(ann, { limit: 1, from: null }, 'asc'))[0]!.id;
  const about = [null, messageId].map((of) => ({ messageId: of, metadata: [{ plan: 'gold' }] }));
  await talk.commands.send('conversation', ann, 'metadata.merge', { about });
  const told = talk.events().length;
  await talk.commands.send('conversation', ann, 'metadata.merge', { about });
  expect(talk.events()).toHaveLength(told);
});

test('the name that an agent gave outlasts what the source says', async () => {
  await using talk = await talking();
  const names: unknown[] = [];
  const [given, said] = [
    (displayName: string) => ({ displayName }),
    (display_name: string | null) => ({ display_name }),
  ];
  const steps = [given('Agent’s'), said('Source’s'), given(''), given('Again'), said(null), given('')];
  for (const step of steps) {
    if ('displayName' in step) await talk.commands.send('conversation', ann, 'conversation.update-contact', step);
    else {
      const about = [{ messageId: null, metadata: [{ contact: step }] }];
      await talk.commands.send('conversation', ann, 'metadata.merge', { about });
    }
    const { displayName, display_name } = talk.ann().metadata.contact as Record<string, unknown>;
    expect(talk.events().at(-1)).toMatchObject({ payload: { metadata: { contact: { displayName, display_name } } } });
    expect(rowsOf(talk.system.file).conversation[0]?.display_name).toBe(display_name);
    names.push(display_name);
  }
  expect(names).toEqual(['Agent’s', 'Agent’s', 'Source’s', 'Again', 'Again', `Acme ${ann.slice(-5)}`]);
});

test('a name that a source gives is cut after 255 characters', async () => {
  await using talk = await talking();
  const metadata = { contact: { display_name: '🧡'.repeat(300) } };
  await talk.commands.send('conversation', ann, 'metadata.merge', {
    about: [{ messageId: null, metadata: [metadata] }],
  });
  expect(talk.ann().metadata.contact).toMatchObject({ display_name: '🧡'.repeat(255) });
});

test('a state is set, replaced and removed', async () => {
  await using talk = await talking();
  const states = [];
  const commands = [
    ['conversation.set-state', { state: 'OPEN' }],
    ['conversation.set-state', { state: 'CLOSED' }],
    ['conversation.remove-state', null],
  ] as const;
  for (const [type, body] of commands) {
    await talk.commands.send('conversation', ann, type, body as never);
    const shown = { payload: { metadata: talk.ann().metadata } };
    expect(talk.events().slice(-2)).toMatchObject([shown, shown]);
    states.push(talk.ann().metadata.state);
  }
  expect(states).toEqual(['OPEN', 'CLOSED', undefined]);
});

test.each([
  [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  [{ a: { x: 1, y: 2 } }, { a: { y: 3 } }, { a: { x: 1, y: 3 } }],
  [{ list: [1, 2, { a: 1 }] }, { list: [3] }, { list: [3] }],
  [{ a: { x: 1 }, b: 2 }, { a: null }, { b: 2 }],
  [{ a: { x: 1 } }, { a: { x: null } }, { a: {} }],
  [{ a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  [{ a: { x: 1 } }, { a: 'text' }, { a: 'text' }],
])('user data %j with %j is %j', async (first, second, expected) => {
  await using talk = await talking(['hello']);
  const messageId = itemsOf(talk.reader.messages.page(ann, { limit: 1, from: null }, 'asc'))[0]!.id;
  for (const data of [first, second]) {
    for (const of of [null, messageId]) {
      await talk.commands.send('conversation', ann, 'metadata.upsert', { messageId: of, data: data as JsonObject });
    }
  }
  expect(talk.ann().metadata.user_data).toEqual(expected);
  expect(talk.reader.messages.find(messageId)?.message.metadata).toEqual({ user_data: expected });
});

test('a key named __proto__ is a key like any other', async () => {
  await using talk = await talking();
  const data = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"a": 1}}') as JsonObject;
  await talk.commands.send('conversation', ann, 'metadata.upsert', { messageId: null, data });
  await talk.commands.send('conversation', ann, 'metadata.merge', { about: [{ messageId: null, metadata: [data] }] });
  expect(({} as JsonObject).polluted).toBeUndefined();
  const { metadata } = talk.ann();
  expect(JSON.stringify(metadata.user_data)).toBe(JSON.stringify(data));
  expect(JSON.stringify(metadata)).toContain('"__proto__":{"polluted":true},"constructor":{"a":1}');
});

test('suggested replies replace those before', async () => {
  await using talk = await talking(['hello']);
  const messageId = itemsOf(talk.reader.messages.page(ann, { limit: 1, from: null }, 'asc'))[0]!.id;
  const suggest = (suggestions: JsonObject) =>
    talk.commands.send('conversation', ann, 'message.suggest-replies', { messageId, suggestions });
  await suggest({ a: { content: 'yes' }, b: { content: 'no' } });
  const { message } = await suggest({ c: { content: 'maybe' } });
  expect(message.metadata).toEqual({ suggestions: { c: { content: 'maybe' } } });
  expect(talk.reader.messages.find(messageId)?.message).toEqual(message);
  expect(talk.events().slice(-2)).toMatchObject([
    { type: 'metadata.updated', payload: { subject: 'message', identifier: messageId, metadata: message.metadata } },
    { type: 'message.updated', payload: { conversation_id: ann, message } },
  ]);
});

test.each([
  ['conversation.mark-read', null],
  ['conversation.set-state', { state: 'OPEN' }],
  ['conversation.remove-state', null],
  ['conversation.update-contact', { displayName: 'x' }],
  ['metadata.upsert', { messageId: null, data: {} }],
  ['metadata.merge', { about: [{ messageId: null, metadata: [{}] }] }],
  ['metadata.merge', { about: [{ messageId: uuid(), metadata: [{}] }] }],
  ['message.resend', { messageId: uuid() }],
  ['message.suggest-replies', { messageId: uuid(), suggestions: {} }],
  ['attempt.start', { messageId: uuid(), effectId: uuid() }],
] as const)('%s of an unknown conversation is refused', async (type, body) => {
  await using system = new ActorSystem();
  expect(await failureOf(system.commands().send('conversation', ann, type, body as never))).toBe('not_found');
  const refused = { type, actor: 0, steps: null, events: null };
  expect(rowsOf(system.file)).toMatchObject({ conversation: [], message: [], journal: [refused] });
});
