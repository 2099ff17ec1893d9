import { expect, test } from 'vitest';
import type { JsonObject } from '#actors/representation.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../_support/actor-system.ts';
import { expectSound, failureOf, rowsOf, turnsOf } from './support.ts';

const bytes = 64 * 1024;
const levels = 32;
const ann = conversationOf('ann');

/** Metadata whose JSON text has as many bytes; its letters have two of them. */
const sized = (total: number): JsonObject => {
  const rest = total - Buffer.byteLength('{"a":""}');
  return { a: 'ä'.repeat(Math.floor(rest / 2)) + 'a'.repeat(rest % 2) };
};

/** Metadata that is nested as deep, the object itself counted. */
const nested = (depth: number): JsonObject =>
  depth === 1 ? {} : { a: depth % 2 === 0 ? nested(depth - 1) : [nested(depth - 2)] };

/** A system with a channel, a conversation and a message: what metadata can be about. */
async function talking() {
  const system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  const { messages } = await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hello']));
  const messageId = messages[0]!.id;
  const merge = (of: string | null) => (metadata: JsonObject) =>
    commands.send('conversation', ann, 'metadata.merge', { about: [{ messageId: of, metadata: [metadata] }] });
  const ways = {
    'what a source says of a conversation': merge(null),
    'what a source says of a message': merge(messageId),
    'user data of a conversation': (data: JsonObject) =>
      commands.send('conversation', ann, 'metadata.upsert', { messageId: null, data }),
    'user data of a message': (data: JsonObject) =>
      commands.send('conversation', ann, 'metadata.upsert', { messageId, data }),
    'user data of a channel': (data: JsonObject) => commands.send('channel', testChannel, 'metadata.upsert', { data }),
    'suggested replies': (suggestions: JsonObject) =>
      commands.send('conversation', ann, 'message.suggest-replies', { messageId, suggestions }),
    'what a channel is created with': (metadata: JsonObject) =>
      commands.send('channel', testChannel, 'channel.connect', {
        ...{ source: 'acme', sourceChannelId: 'line-1', sourceId: 'acme', name: 'Line 1', metadata },
      }),
  };
  return {
    system,
    ways,
    async [Symbol.asyncDispose]() {
      expectSound(system);
      await system[Symbol.asyncDispose]();
    },
  };
}

type Way = keyof Awaited<ReturnType<typeof talking>>['ways'];

/** How many bytes and levels each way adds around what it is given. */
const around: [way: Way, bytes: number, levels: number][] = [
  ['what a source says of a conversation', 0, 0],
  ['what a source says of a message', 0, 0],
  ['user data of a conversation', '{"user_data":}'.length, 1],
  ['user data of a message', '{"user_data":}'.length, 1],
  ['user data of a channel', '{"name":"Line 1","user_data":}'.length, 1],
  ['suggested replies', '{"suggestions":}'.length, 1],
  ['what a channel is created with', ',"name":"Line 1"'.length, 0],
];

test.each(around)('%s has 64 KiB of room', async (way, more) => {
  await using talk = await talking();
  const before = rowsOf(talk.system.file);
  expect(await failureOf(talk.ways[way](sized(bytes - more + 1)))).toBe('metadata_too_large');
  const { journal: _, shard: __, ...others } = rowsOf(talk.system.file);
  expect(before).toMatchObject(others);
  await talk.ways[way](sized(bytes - more));
  expect(
    turnsOf(talk.system.file)
      .at(-1)
      ?.events.map(({ type }) => type),
  ).not.toEqual([]);
});

test.each(around)('%s has 32 levels', async (way, _, more) => {
  await using talk = await talking();
  expect(await failureOf(talk.ways[way](nested(levels - more + 1)))).toBe('metadata_too_large');
  await talk.ways[way](nested(levels - more));
});

test('metadata that grows bit by bit has the same room', async () => {
  await using talk = await talking();
  const say = talk.ways['what a source says of a conversation'];
  await say(sized(bytes - 100));
  expect(await failureOf(say({ b: 'b'.repeat(100) }))).toBe('metadata_too_large');
  await say({ a: null, b: 'b'.repeat(100) });
});
