import { expect, test } from 'vitest';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { elapse, expectSound, failureOf, rowsOf, sendText } from './support.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const ann = conversationOf('ann');

const ingest = (system: ActorSystem, texts: string[], prefix: string) =>
  system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', texts, prefix));

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
  reader.close();
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
