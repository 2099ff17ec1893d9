import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type FeedEntry, feedPageBounds, type FeedPage, type FeedPosition } from '#actors/journal/feed.ts';
import type { FeedQuery, FeedReader } from '#actors/journal/feed.ts';
import { feedReader } from '#actors/journal/feed-reader.ts';
import { kinds } from '#actors/kinds.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../../_support/actor-system.ts';
import { sendText, turnsOf } from '../support.ts';
import { watchedConnection } from './watched-connection.ts';

const contacts = Array.from({ length: 8 }, (_, n) => `c${n}`);

async function talking(shards: number): Promise<ActorSystem> {
  const system = new ActorSystem({ shards });
  await connectTestChannel(system.commands());
  for (const contact of contacts) {
    await system
      .commands()
      .send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['1', '2']));
  }
  return system;
}

/** Reads on from a position in steps until nothing is left. */
function readOn(
  read: (after: FeedPosition) => FeedEntry[],
  after: FeedPosition = [],
): { entries: FeedEntry[]; end: FeedPosition } {
  const entries: FeedEntry[] = [];
  for (;;) {
    const next = read(after);
    if (next.length === 0) return { entries, end: after };
    entries.push(...next);
    after = next.at(-1)!.position;
  }
}

function readPages(feed: FeedReader, query: FeedQuery): FeedPage[] {
  const pages = [feed.read(query)];
  while (!pages.at(-1)!.atEnd) pages.push(feed.read({ ...query, after: pages.at(-1)!.position }));
  return pages;
}

/** What entries say, shard after shard: between shards the order is free. */
const byShard = (entries: readonly FeedEntry[]): unknown[] =>
  entries.toSorted((a, b) => a.shard - b.shard).map(({ event: { cursor: _, ...event } }) => event);

/** The numbers of each subject's events, in the order of reading. */
function numbersOf(entries: FeedEntry[]): number[][] {
  const subjects = Map.groupBy(entries, ({ event }) => `${event.subject.type} ${event.subject.id}`);
  return [...subjects.values()].map((of) => of.map(({ event }) => event.seq));
}

const gapless = (numbers: number[]): boolean => numbers.every((number, i) => number === i + 1);

test.each([1, 4])('small reads see every event once, with %i shards', async (shards) => {
  await using system = await talking(shards);
  const { feed, close } = system.reader();
  const all = feed.read({ after: [], limit: 1_000 }).entries;
  expect(all).toHaveLength(1 + contacts.length * 3);
  for (const limit of [1, 2, 7]) {
    const { entries, end } = readOn((after) => feed.read({ after, limit }).entries);
    expect(byShard(entries)).toEqual(byShard(all));
    expect(end).toEqual(feed.end());
  }
  expect(numbersOf(all).every(gapless)).toBe(true);
  close();
});

test('reading goes on without a gap while 4 shards are written', async () => {
  await using system = await talking(4);
  const { feed, close } = system.reader();
  const entries: FeedEntry[] = [];
  let cursor: string | null = null;
  let writing = true;
  const writes = Promise.all(
    contacts.map(async (contact, n) => {
      for (let round = 0; round < 6; round++) {
        if ((round + n) % 2 === 0) await sendText(system.commands(), contact, `${round}`);
        else await system.commands().send('conversation', conversationOf(contact), 'conversation.mark-read', null);
      }
    }),
  ).finally(() => {
    writing = false;
  });
  let some: FeedEntry[];
  do {
    const last = !writing;
    some = feed.read({ after: cursor === null ? [] : feed.decodeCursor(cursor), limit: 3 }).entries;
    entries.push(...some);
    cursor = some.at(-1)?.event.cursor ?? cursor;
    if (!last) await new Promise(setImmediate);
    else if (some.length === 0) break;
  } while (entries.length < 10_000);
  await writes;
  expect(entries).toHaveLength(feed.read({ after: [], limit: 10_000 }).entries.length);
  const numbers = numbersOf(entries);
  expect(numbers).toHaveLength(1 + contacts.length);
  expect(numbers.every(gapless)).toBe(true);
  close();
});

test.each([1, 4])('the feed is read by type and conversation, with %i shards', async (shards) => {
  await using system = await talking(shards);
  const { feed, close } = system.reader();
  const id = conversationOf('c3');
  const all = feed.read({ after: [], limit: 1_000 }).entries;
  for (const limit of [1, 2, 100]) {
    const types = ['message.created'] as const;
    const created = readOn((after) => feed.read({ after, limit, types }).entries).entries;
    expect(byShard(created)).toEqual(byShard(all.filter(({ event }) => event.type === 'message.created')));
    const mine = all.filter(({ conversationId }) => conversationId === id).map(({ event }) => [event.type, event.seq]);
    const read = readOn((after) => feed.read({ after, limit, conversationId: id }).entries).entries;
    expect(read.map(({ event }) => [event.type, event.seq])).toEqual(mine);
    const both = readOn((after) => feed.read({ after, limit, conversationId: id, types }).entries).entries;
    expect(both.map(({ event }) => event.seq)).toEqual([1, 2]);
  }
  expect(feed.read({ after: [], limit: 10, types: ['metadata.updated'] }).entries).toEqual([]);
  close();
});

test('types named often, in any order, are one question', async () => {
  await using system = await talking(1);
  const db = system.open();
  const asked = new Set<string>();
  const feed = feedReader(
    watchedConnection(db, (sql) => asked.add(sql)),
    1,
    kinds,
  );
  const all = feed.read({ after: [], limit: 100, types: ['message.created', 'channel.updated'] }).entries;
  const questions = asked.size;
  const often = Array.from({ length: 1_000 }, () => ['channel.updated', 'message.created'] as const).flat();
  expect(feed.read({ after: [], limit: 100, types: often }).entries).toEqual(all);
  expect(asked.size).toBe(questions);
  db.close();
});

test('a type that a long conversation lacks costs one walk', async () => {
  await using system = await talking(1);
  const conversation = conversationOf('c3');
  for (let round = 0; round < 3; round++) {
    const some = Array.from({ length: 200 }, (_, n) => sendText(system.commands(), 'c3', `${round} ${n}`));
    await Promise.all(some);
  }
  const db = system.open();
  let looks = 0;
  const feed = feedReader(
    watchedConnection(db, () => {
      looks++;
    }),
    1,
    kinds,
  );
  expect(feed.read({ after: [], limit: 1, conversationId: conversation, types: ['channel.updated'] }).entries).toEqual(
    [],
  );
  expect(looks).toBeLessThan(4 * turnsOf(system.file).length);
  db.close();
});

test('a page has a bound in bytes', async () => {
  await using system = await talking(1);
  const large = 'x'.repeat(feedPageBounds.bytes / 3);
  for (let n = 0; n < 5; n++) await sendText(system.commands(), 'c0', large);
  const { feed, close } = system.reader();
  const all = readPages(feed, { after: [], limit: 1_000 });
  const sizes = all.map(({ entries }) => entries.reduce((sum, { text }) => sum + text.length, 0));
  expect(sizes.length).toBe(3);
  expect(Math.max(...sizes)).toBeLessThan(1.1 * feedPageBounds.bytes);
  expect(numbersOf(all.flatMap(({ entries }) => entries)).every(gapless)).toBe(true);
  close();
});

test('a read that finds nothing moves on, and may not be the end', async () => {
  await using system = await talking(1);
  const positions = feedPageBounds.positions + 100;
  const db = new Database(system.file);
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1000 + ${positions})
    INSERT INTO journal (key, kind, actor, previous, at, type, cause, command, hash)
    SELECT i, 'conversation', 1, 0, 0, 'x', 'x', x'00', 'x' FROM n`);
  db.exec(`UPDATE shard SET next_position = ${1000 + positions}`);
  db.close();
  const { feed, close } = system.reader();
  for (const query of [{ types: ['webhook.updated'] as const }, {}]) {
    const pages = readPages(feed, { after: [], limit: 1_000, ...query });
    expect(pages.map(({ atEnd }) => atEnd)).toEqual([false, true]);
    expect(pages[0]!.position[0]).toBeGreaterThanOrEqual(feedPageBounds.positions - 1_000);
    expect(pages.at(-1)!.position).toEqual(feed.end());
  }
  close();
});

test('an event names whose number it has, as value and text', async () => {
  await using system = await talking(1);
  await sendText(system.commands(), 'c0', 'hello');
  const { feed, close } = system.reader();
  const entries = feed.read({ after: [], limit: 100 }).entries;
  const subjects = entries.map(({ event }) => [event.type, event.subject.type, event.subject.id]);
  expect(subjects[0]).toEqual(['channel.updated', 'channel', testChannel]);
  expect(subjects[1]).toEqual(['message.created', 'conversation', conversationOf('c0')]);
  for (const { event, text } of entries) expect(JSON.parse(text)).toEqual(event);
  close();
});

test('an event names its conversation; a channel event none', async () => {
  await using system = await talking(1);
  const { feed, close } = system.reader();
  const [channel, message] = feed.read({ after: [], limit: 2 }).entries;
  expect([channel?.conversationId, message?.conversationId]).toEqual([null, conversationOf('c0')]);
  expect(message?.event).toMatchObject({ type: 'message.created', seq: 1, timestamp: system.clock.now() });
  close();
});

test('the end is behind everything, also with empty shards', async () => {
  await using system = new ActorSystem({ shards: 4 });
  const { feed, close } = system.reader();
  expect(feed.end()).toEqual([0, 0, 0, 0]);
  await connectTestChannel(system.commands());
  const end = feed.end();
  expect(end.reduce((sum, position) => sum + position)).toBe(1);
  expect(feed.read({ after: end, limit: 10 }).entries).toEqual([]);
  close();
});
