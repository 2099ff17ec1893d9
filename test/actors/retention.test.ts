import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { envelopeFor, expectSound, RecordingLog, request, rowsOf } from './support.ts';

const hour = 60 * 60 * 1000;

/** Lets pruning go on until a turn finds nothing more to do. */
async function pruned(system: ActorSystem): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    system.clock.advance(10_000);
    await system.settle();
  }
}

test('a command id is forgotten after 25 hours, not before', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const ingest = envelopeFor(system, 'conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  await request(system, ingest);
  system.clock.advance(24.5 * hour);
  await pruned(system);
  expect(await request(system, ingest)).toMatchObject({ replayed: true });
  system.clock.advance(0.5 * hour);
  await pruned(system);
  expect(rowsOf(system.file).inbox).toEqual([]);
  const again = { ...ingest, now: system.clock.now(), deadline: system.clock.now() + 1_000 };
  expect(await request(system, again)).toMatchObject({ ok: true, result: { messages: [{ duplicate: true }] } });
  expectSound(system);
});

test('events older than the policy go, younger ones stay', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ shards: 4, retention: { feed: 2 * hour }, log });
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['old']));
  const reader = system.reader();
  const old = reader.feed.read({ after: [], limit: 1 })[0]!.position;
  system.clock.advance(hour);
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['new'], 'new'));
  system.clock.advance(hour + 1);
  await pruned(system);
  const kept = reader.feed.read({ after: old, limit: 100 }).map(({ event }) => `${event.type} ${event.seq}`);
  expect(kept).toEqual(['message.created 3', 'conversation.updated 4']);
  expect(reader.feed.read({ after: [], limit: 100 })).toHaveLength(2);
  reader.close();
  expect(log.records.at(-1)?.changes.every(({ op, table }) => op === 'delete' && table === 'feed')).toBe(true);
  expectSound(system);
});

test('a feed pruned to nothing keeps its end and its numbers', async () => {
  await using system = new ActorSystem({ retention: { feed: hour } });
  const commands = system.commands();
  await connectTestChannel(commands);
  const reader = system.reader();
  const end = reader.feed.end();
  system.clock.advance(hour + 1);
  await pruned(system);
  expect(rowsOf(system.file).feed).toEqual([]);
  expect(reader.feed.end()).toEqual(end);
  await system.restart();
  await connectTestChannel(system.commands());
  expect(reader.feed.read({ after: end, limit: 10 })).toMatchObject([{ event: { seq: 2 }, position: [end[0]! + 1] }]);
  reader.close();
});

test('without a policy every event is kept', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  system.clock.advance(365 * 24 * hour);
  await pruned(system);
  expect(rowsOf(system.file).feed).toHaveLength(1);
});

test('many old rows go in steps of 500, soon after another', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ retention: { feed: hour }, log });
  const commands = system.commands();
  await connectTestChannel(commands);
  const texts = Array.from({ length: 1_200 }, (_, n) => `text ${n}`);
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', texts));
  const before = log.records.length;
  system.clock.advance(hour + 1);
  await system.settle();
  for (let turn = 0; turn < 4; turn++) {
    system.clock.advance(20);
    await system.settle();
  }
  expect(log.records.slice(before).map(({ changes }) => changes.length)).toEqual([500, 500, 202]);
  expect(rowsOf(system.file).feed).toEqual([]);
  expectSound(system);
});

test('commands are handled between the steps of pruning', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ retention: { feed: hour }, log });
  const commands = system.commands();
  await connectTestChannel(commands);
  const texts = Array.from({ length: 1_200 }, (_, n) => `text ${n}`);
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', texts));
  const before = log.records.length;
  system.clock.advance(hour + 1);
  await system.settle();
  await connectTestChannel(commands);
  await pruned(system);
  const kinds = log.records.slice(before).map(({ changes }) => changes[0]?.op === 'delete');
  expect(kinds).toEqual([true, false, true, true]);
});

test('pruning leaves history whole', async () => {
  await using system = new ActorSystem({ retention: { feed: hour } });
  await connectTestChannel(system.commands());
  const { history } = rowsOf(system.file);
  system.clock.advance(48 * hour);
  await pruned(system);
  expect(rowsOf(system.file).history).toEqual(history);
  expect(rowsOf(system.file).feed).toEqual([]);
});
