import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttemptOutcome } from '#machines/message-delivery.ts';
import type { EventJson, JsonObject, MessageJson } from '#actors/representation.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../../_support/actor-system.ts';
import { expectSound, sendText, uuid } from '../support.ts';
import { itemsOf } from '../../_support/pages.ts';

const contacts = ['ann', 'bob'];
const awkward = 'süß 😀 "quoted" \\ \u2028 \u0000 </script>';

/** A hub, what was told of it so far, and what its messages are. */
interface Talk {
  system: ActorSystem;
  reader: OpenStoreReader;
  told: { text: string; event: EventJson }[];
  position: FeedPosition;
  made: number;
}

type Move = (talk: Talk) => Promise<unknown>;

const conversation = fc.constantFrom(...contacts).map(conversationOf);
const text = fc.constantFrom('hi', awkward, '');
const metadata = fc.constantFrom<JsonObject>(
  { a: 1 },
  { a: null, list: [awkward] },
  { deep: { x: { y: null, z: 2 } } },
);

const messagesOf = ({ reader }: Talk, id: string): MessageJson[] =>
  itemsOf(reader.messages.page(id, { limit: 1_000, from: null }, 'asc'));

/** Some message of a conversation, when there is one. */
const withMessage =
  (id: string, nth: number, work: (talk: Talk, messageId: string) => Promise<unknown>): Move =>
  async (talk) => {
    const all = messagesOf(talk, id);
    if (all.length > 0) await work(talk, all[nth % all.length]!.id);
  };

const outcomes: AttemptOutcome[] = [
  { kind: 'succeeded', sourceMessageId: null, metadata: {} },
  { kind: 'succeeded', sourceMessageId: 'theirs', metadata: { said: awkward } },
  { kind: 'rejected', error: 'No such recipient.' },
  { kind: 'unreachable', error: 'Status 503.', jitter: 0.5, giveUpAfter: 0 },
  { kind: 'throttled', error: 'Busy.', retryAfter: 1_000, giveUpAfter: 60_000 },
  { kind: 'outcome_unknown' },
];

/** Tries the first send that waits. */
const attempting =
  (outcome: AttemptOutcome): Move =>
  async ({ system, reader }) => {
    const [effect] = reader.outbox.after(0, 0, 1);
    if (effect === undefined) return;
    const { message, conversation: of } = reader.deliveries.find(effect.subject)!;
    const about = { messageId: message.id, effectId: effect.id };
    const { revision } = await system.commands().send('conversation', of.id, 'attempt.start', about);
    await system.commands().send('conversation', of.id, 'attempt.finish', { ...about, revision, outcome });
  };

const moves: fc.Arbitrary<Move> = fc.oneof(
  fc.tuple(fc.constantFrom(...contacts), fc.array(text, { minLength: 1, maxLength: 3 })).map(
    ([contact, texts]): Move =>
      async (talk) => {
        const body = ingestOf(contact, texts, `m${talk.made++}`);
        await talk.system.commands().send('conversation', conversationOf(contact), 'messages.ingest', body);
      },
  ),
  fc.tuple(fc.constantFrom(...contacts), text).map(
    ([contact, content]): Move =>
      ({ system }) =>
        sendText(system.commands(), contact, content, true),
  ),
  fc.constantFrom(...outcomes).map(attempting),
  conversation.map(
    (id): Move =>
      ({ system }) =>
        system.commands().send('conversation', id, 'conversation.mark-read', null),
  ),
  fc.tuple(conversation, fc.constantFrom('OPEN', 'CLOSED', null)).map(
    ([id, state]): Move =>
      ({ system }) =>
        state === null
          ? system.commands().send('conversation', id, 'conversation.remove-state', null)
          : system.commands().send('conversation', id, 'conversation.set-state', { state }),
  ),
  fc.tuple(conversation, fc.constantFrom('Ann', awkward, '')).map(
    ([id, displayName]): Move =>
      ({ system }) =>
        system.commands().send('conversation', id, 'conversation.update-contact', { displayName }),
  ),
  fc.tuple(conversation, metadata).map(
    ([id, data]): Move =>
      ({ system }) =>
        system.commands().send('conversation', id, 'metadata.upsert', { messageId: null, data }),
  ),
  fc
    .tuple(conversation, fc.nat(20), metadata)
    .map(([id, nth, data]) =>
      withMessage(id, nth, ({ system }, messageId) =>
        system.commands().send('conversation', id, 'metadata.merge', { about: [{ messageId, metadata: [data] }] }),
      ),
    ),
  fc
    .tuple(conversation, fc.nat(20))
    .map(([id, nth]) =>
      withMessage(id, nth, ({ system }, messageId) =>
        system.commands().send('conversation', id, 'message.resend', { messageId }),
      ),
    ),
  fc.constant<Move>(({ system, made }) =>
    system.commands().send('channel', testChannel, 'channel.update', { name: `Line ${made} ${awkward}` }),
  ),
  fc.constant<Move>(async ({ system }) => {
    system.clock.advance(61_000);
    await system.settle();
  }),
  fc.constant<Move>(({ system }) => system.restart()),
);

/** What events say last of a thing is what the API shows of it now. */
function expectCurrent({ reader }: Talk, events: EventJson[]): void {
  for (const { type, payload } of latest(events)) {
    if (type === 'message.created' || type === 'message.updated') {
      const { message, conversation_id, channel_id } = payload as { message: JsonObject } & Record<string, unknown>;
      const found = reader.messages.find(String(message['id']))!;
      expect({ message, conversation_id, channel_id }).toEqual({
        message: found.message,
        conversation_id: found.conversationId,
        channel_id: found.channelId,
      });
    }
    if (type === 'conversation.updated') {
      const { channel, unread_count, last_message, ...found } = reader.conversations.find(String(payload['id']))!;
      const { metadata: _, ...last } = last_message ?? { metadata: null };
      expect(payload).toEqual({ ...found, channel_id: channel.id, ...(last_message && { last_message: last }) });
      expect((payload['metadata'] as JsonObject)['unread_count']).toBe(unread_count);
    }
    if (type === 'channel.updated') expect(payload).toEqual(reader.channels.find(String(payload['id'])));
    if (type === 'metadata.updated' && payload['subject'] === 'message') {
      const found = reader.messages.find(String(payload['identifier']));
      if (found !== null) expect(payload['metadata']).toEqual(found.message.metadata);
    }
    if (type === 'metadata.updated' && payload['subject'] === 'conversation') {
      const found = reader.conversations.find(String(payload['identifier']))!;
      expect(payload['metadata']).toEqual(found.metadata);
    }
  }
}

/** The last event of each type about each thing. */
function latest(events: EventJson[]): EventJson[] {
  const found = new Map<string, EventJson>();
  for (const event of events) {
    const { message, id, identifier, subject } = event.payload as Record<string, JsonObject | string | undefined>;
    const about = (message as JsonObject | undefined)?.['id'] ?? id ?? identifier;
    const kind = event.type.startsWith('message.') ? 'message' : event.type;
    found.set(`${kind} ${String(subject)} ${String(about)}`, event);
  }
  return [...found.values()];
}

/** Reads what is new, right after a command. */
function hear(talk: Talk): void {
  const entries = talk.reader.feed.read({ after: talk.position, limit: 10_000 }).entries;
  talk.position = talk.reader.feed.end();
  talk.told.push(...entries.map(({ text: said, event }) => ({ text: said, event })));
  expectCurrent(
    talk,
    entries.map(({ event }) => event),
  );
}

/** Changes everything that can be changed. */
async function changeAll(talk: Talk): Promise<void> {
  const commands = talk.system.commands();
  for (const id of contacts.map(conversationOf)) {
    if (talk.reader.conversations.find(id) === null) continue;
    await commands.send('conversation', id, 'conversation.update-contact', { displayName: 'Another name' });
    await commands.send('conversation', id, 'conversation.set-state', { state: 'CLOSED' });
    await commands.send('conversation', id, 'metadata.upsert', { messageId: null, data: { changed: true } });
    await commands.send('conversation', id, 'conversation.mark-read', null);
    for (const { id: messageId } of messagesOf(talk, id)) {
      await commands.send('conversation', id, 'metadata.merge', {
        about: [{ messageId, metadata: [{ changed: true }] }],
      });
    }
    await sendText(commands, contacts.find((contact) => conversationOf(contact) === id)!, 'the last one');
  }
  for (let n = 0; n < 40; n++) await attempting(outcomes[n % 2]!)(talk);
  await commands.send('channel', testChannel, 'channel.disconnect', null);
}

test('events stay what they were, whatever changes afterwards', async () => {
  const property = fc.asyncProperty(fc.array(moves, { minLength: 1, maxLength: 30 }), async (walk) => {
    await using system = new ActorSystem();
    const reader = system.reader();
    const talk: Talk = { system, reader, told: [], position: [0], made: 0 };
    await connectTestChannel(system.commands());
    hear(talk);
    for (const move of walk) {
      await move(talk).catch((error: { code?: string }) => {
        if (error.code === undefined || error.code === 'internal') throw error;
      });
      hear(talk);
    }
    await changeAll(talk);
    await system.restart();
    const fresh = system.reader();
    const read = fresh.feed.read({ after: [], limit: talk.told.length }).entries;
    expect(read.map(({ text: said }) => said)).toEqual(talk.told.map(({ text: said }) => said));
    fresh.close();
    reader.close();
    expectSound(system);
  });
  await fc.assert(property, { numRuns: 40, seed: 20261121 });
}, 60_000);

test('a send that was never stored is told of as it was', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const messageId = uuid();
  const body = { messageId, content: 1, sender: { id: 'a' } };
  await system.commands().send('conversation', conversationOf('ann'), 'message.send', body);
  system.clock.advance(30_000);
  await system.settle();
  const reader = system.reader();
  const [{ event } = { event: null }] = reader.feed.read({ after: [], limit: 9, types: ['metadata.updated'] }).entries;
  const said = { error: expect.stringContaining('did not appear within 30 seconds') };
  expect(event?.payload).toEqual({ subject: 'message', identifier: messageId, metadata: said });
  reader.close();
});
