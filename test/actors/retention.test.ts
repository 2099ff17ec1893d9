import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { elapse, envelopeFor, expectSound, failureOf, RecordingLog, request, rowsOf, sendText } from './support.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const ann = conversationOf('ann');

const ingest = (system: ActorSystem, texts: string[], prefix: string) =>
  system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', texts, prefix));

test('turns older than the policy go, younger ones stay', async () => {
  await using system = new ActorSystem({ shards: 4, retention: { journal: 2 * hour } });
  await connectTestChannel(system.commands());
  await ingest(system, ['old'], 'old');
  await elapse(system, hour, hour / 8);
  await ingest(system, ['new'], 'new');
  await elapse(system, 1.5 * hour, hour / 8);
  const reader = system.reader();
  const kept = reader.feed.read({ after: [], limit: 100 }).map(({ event }) => `${event.type} ${event.seq}`);
  expect(kept).toEqual(['message.created 3', 'conversation.updated 4']);
  expect(rowsOf(system.file).message).toHaveLength(2);
  reader.close();
  expectSound(system);
});

test('a cursor from before what is kept has expired', async () => {
  await using system = new ActorSystem({ retention: { journal: hour } });
  await connectTestChannel(system.commands());
  const reader = system.reader();
  const before = reader.feed.encodeCursor([0]);
  expect(reader.feed.decodeCursor(before)).toEqual([0]);
  const end = reader.feed.end();
  await elapse(system, 2 * hour, hour / 8);
  expect(rowsOf(system.file).journal).toEqual([]);
  expect([reader.feed.start(), reader.feed.end()]).toEqual([end, end]);
  expect(() => reader.feed.decodeCursor(before)).toThrow(reader.feed.encodeCursor(end));
  expect(await failureOf(Promise.try(() => reader.feed.decodeCursor(before)))).toBe('cursor_expired');
  await system.restart();
  await connectTestChannel(system.commands());
  expect(reader.feed.read({ after: end, limit: 10 })).toMatchObject([{ event: { seq: 2 }, position: [end[0]! + 1] }]);
  reader.close();
  expectSound(system);
});

test('without a policy everything is kept', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  await elapse(system, 365 * day, day);
  expect(rowsOf(system.file).journal).toHaveLength(1);
});

test('a repeated ingest whose turn is gone is a duplicate', async () => {
  await using system = new ActorSystem({ retention: { journal: hour } });
  await connectTestChannel(system.commands());
  const first = envelopeFor(system, 'conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  await request(system, first);
  await elapse(system, 2 * hour, hour / 8);
  const again = { ...first, now: system.clock.now(), deadline: system.clock.now() + 1_000 };
  expect(await request(system, again)).toMatchObject({ ok: true, result: { messages: [{ duplicate: true }] } });
  expectSound(system);
});

test('many old turns go in small steps, soon after another', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ retention: { journal: hour }, log });
  await connectTestChannel(system.commands());
  for (let n = 0; n < 300; n++) await ingest(system, [`text ${n}`], `m${n}`);
  await elapse(system, hour, hour / 16);
  const before = log.records.length;
  await elapse(system, hour / 4, 20);
  const cuts = log.records.slice(before).flatMap(({ changes }) => changes.filter(({ op }) => op === 'cut'));
  expect(cuts.length).toBeGreaterThanOrEqual(3);
  expect(rowsOf(system.file)).toMatchObject({ journal: [], message: { length: 300 } });
  expectSound(system);
});

test('what is kept of an actor starts from a base', async () => {
  await using system = new ActorSystem({ retention: { journal: 2 * hour } });
  const commands = system.commands();
  await connectTestChannel(commands);
  for (let n = 0; n < 10; n++) {
    await ingest(system, [`text ${n}`], `m${n}`);
    await sendText(commands, 'ann', `answer ${n}`);
    if (n % 3 === 0) await commands.send('conversation', ann, 'conversation.mark-read', null);
    await elapse(system, hour / 2, hour / 8);
    expectSound(system);
  }
  const { base, journal } = rowsOf(system.file);
  expect(base.length).toBeGreaterThan(0);
  expect(journal.length).toBeLessThan(20);
  await system.restart();
  await ingest(system, ['after'], 'after');
  expectSound(system);
});

test('a year of turns does not make the file grow', async () => {
  await using system = new ActorSystem({ retention: { journal: 30 * day } });
  await connectTestChannel(system.commands());
  const reader = system.reader();
  let expired = '';
  const sizes: number[] = [];
  for (let today = 0; today < 365; today++) {
    await ingest(system, Array<string>(4).fill(`day ${today}`), `d${today}`);
    await system.commands().send('conversation', ann, 'conversation.mark-read', null);
    if (today === 100) expired = reader.feed.encodeCursor(reader.feed.end());
    await elapse(system, day, 4 * hour);
    if (today % 60 === 59) expectSound(system);
    const { journal, base, mark } = rowsOf(system.file);
    sizes.push(journal.length + base.length + mark.length);
  }
  // A full month, and an hour more for the marks.
  expect(Math.max(...sizes)).toBeLessThan(1.2 * sizes[40]!);
  expect(rowsOf(system.file).message).toHaveLength(365 * 4);
  expect(() => reader.feed.decodeCursor(expired)).toThrow('no longer kept');
  reader.close();
}, 60_000);

test.each([40, -40])('a clock that jumps %i days deletes nothing', async (days) => {
  await using system = new ActorSystem({ retention: { journal: 30 * day, deliveries: 30 * day } });
  await connectTestChannel(system.commands());
  await ingest(system, ['before'], 'before');
  await elapse(system, 2 * day, hour);
  const turns = rowsOf(system.file).journal.length;
  system.clock.set(days * day);
  await ingest(system, ['meanwhile'], 'meanwhile');
  await elapse(system, hour, hour / 60);
  system.clock.set(-days * day);
  await ingest(system, ['after'], 'after');
  await elapse(system, day, hour);
  expect(rowsOf(system.file).journal).toHaveLength(turns + 2);
  await system.restart();
  await elapse(system, day, hour);
  expect(rowsOf(system.file).journal).toHaveLength(turns + 2);
  expectSound(system);
});

test('idempotency keys go with their last turns', async () => {
  await using system = new ActorSystem({ retention: { journal: 30 * hour } });
  const commands = system.commands();
  await commands.send('idempotency-key', ann, 'key.claim', { bodyHash: 'h' });
  await elapse(system, 29 * hour, hour);
  expect(rowsOf(system.file).idempotency_key).toHaveLength(1);
  await elapse(system, 5 * hour, hour);
  expect(rowsOf(system.file)).toMatchObject({ idempotency_key: [], journal: [], base: [] });
  await commands.send('idempotency-key', ann, 'key.claim', { bodyHash: 'other' });
  expectSound(system);
});
