import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventType } from '#actors/representation.ts';
import type { FeedEntry, FeedPosition, FeedQuery, FeedReader } from '#actors/journal/feed.ts';
import { feedReader } from '#actors/journal/feed-reader.ts';
import { kinds } from '#actors/kinds.ts';
import { openForReading } from '#actors/store/database.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../../_support/actor-system.ts';
import { elapse, sendText, turnsOf } from '../support.ts';
import { watchedConnection } from './watched-connection.ts';

const hour = 60 * 60 * 1000;
const contacts = Array.from({ length: 6 }, (_, n) => `c${n}`);

/** Turns with many events, one and none, of several actors in turn. */
async function busySystem(shards: number, pruned: boolean): Promise<ActorSystem> {
  const system = new ActorSystem({ shards, ...(pruned && { retention: { journal: hour } }) });
  const commands = system.commands();
  await connectTestChannel(commands);
  for (let round = 0; round < 14; round++) {
    if (round === 5 && pruned) await elapse(system, hour / 2, hour / 32);
    for (const [n, contact] of contacts.entries()) {
      const id = conversationOf(contact);
      const texts = Array.from({ length: (round + n) % 4 }, (_, i) => `${i}`);
      await commands.send(
        'conversation',
        id,
        'messages.ingest',
        ingestOf(contact, ['0', ...texts], `${contact}-${round}`),
      );
      if (round % 3 === n % 3) await sendText(commands, contact, 'hello');
      if (round % 2 === 0) await commands.send('conversation', id, 'conversation.mark-read', null);
      // Its second time has no event: a turn without any.
      if (round % 4 === 0) await commands.send('conversation', id, 'conversation.mark-read', null);
    }
    await commands.send('channel', testChannel, 'channel.update', { name: `Line ${round}` });
  }
  if (pruned) await elapse(system, 0.65 * hour, hour / 32);
  return system;
}

const shapes: [title: string, shards: number, pruned: boolean][] = [
  ['1 shard', 1, false],
  ['4 shards', 4, false],
  ['2 shards, the beginning pruned', 2, true],
];

const typeSets: (readonly EventType[] | undefined)[] = [
  undefined,
  ['message.created'],
  ['conversation.updated', 'metadata.updated'],
  ['channel.updated'],
  ['webhook.updated'],
];

const said = ({ event }: FeedEntry): unknown => [event.type, event.seq, event.payload, event.timestamp];
/** The order is the feed's within a shard, and free between shards. */
const byShard = (entries: readonly FeedEntry[]): unknown[] => entries.toSorted((a, b) => a.shard - b.shard).map(said);
const gapless = (numbers: number[]): boolean => numbers.every((number, n) => number === numbers[0]! + n);

function readOn(feed: FeedReader, query: FeedQuery): FeedEntry[] {
  const entries: FeedEntry[] = [];
  for (let after: FeedPosition = query.after; ; ) {
    const page = feed.read({ ...query, after });
    expect(page.entries.length).toBeLessThanOrEqual(query.limit);
    entries.push(...page.entries);
    if (page.atEnd) return entries;
    after = page.position;
  }
}

describe.each(shapes)('the feed of %s', (_title, shards, pruned) => {
  let system: ActorSystem;
  let reader: OpenStoreReader;
  let all: FeedEntry[];

  beforeAll(async () => {
    system = await busySystem(shards, pruned);
    reader = system.reader();
    all = reader.feed.read({ after: [], limit: 10_000 }).entries;
  }, 30_000);

  afterAll(async () => {
    reader.close();
    await system[Symbol.asyncDispose]();
  });

  test('is every event of every kept turn', () => {
    const turns = turnsOf(system.file);
    expect(all).toHaveLength(turns.reduce((sum, { events }) => sum + events.length, 0));
    expect(turns.some(({ events }) => events.length === 0)).toBe(true);
    expect(turns.some(({ events }) => events.length > 4)).toBe(true);
    expect(pruned).toBe(reader.feed.start().every((start) => start > 0));
    const subjects = Map.groupBy(all, ({ conversationId }) => conversationId);
    expect(subjects.size).toBe(1 + contacts.length);
    for (const entries of subjects.values()) {
      const numbers = entries.map(({ event }) => event.seq);
      expect([gapless(numbers), numbers[0] === 1]).toEqual([true, !pruned]);
    }
  });

  test('goes on behind any event, also inside a turn', () => {
    for (const { position } of all) {
      const { entries } = reader.feed.read({ after: position, limit: 3 });
      for (const [shard, next] of Map.groupBy(entries, (entry) => entry.shard)) {
        const left = all.filter((entry) => entry.shard === shard && entry.position[shard]! > position[shard]!);
        expect(next.map(said)).toEqual(left.slice(0, next.length).map(said));
      }
    }
  });

  test('read in pages is the same as read at once', () => {
    const query = fc.record({
      from: fc.integer({ min: -1, max: all.length - 1 }),
      limit: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(50, 10_000)),
      types: fc.constantFrom(...typeSets),
      contact: fc.option(fc.constantFrom(...contacts, 'nobody'), { nil: undefined }),
    });
    const property = fc.property(query, ({ from, limit, types, contact }) => {
      const id = contact === undefined ? undefined : conversationOf(contact);
      const expected = all
        .slice(from + 1)
        .filter(({ event }) => types === undefined || types.includes(event.type))
        .filter(({ conversationId }) => id === undefined || conversationId === id);
      const read = readOn(reader.feed, {
        after: from < 0 ? [] : all[from]!.position,
        limit,
        ...(types && { types }),
        ...(id !== undefined && { conversationId: id }),
      });
      expect(byShard(read)).toEqual(byShard(expected));
    });
    fc.assert(property, { numRuns: 150, seed: 20261121 });
  });

  test('gives every shard its share of a page', () => {
    const { entries } = reader.feed.read({ after: [], limit: shards });
    expect(new Set(entries.map(({ shard }) => shard))).toEqual(new Set(all.map(({ shard }) => shard)));
  });

  test('has the same text as value', () => {
    for (const entry of all) expect(JSON.parse(entry.text)).toEqual(entry.event);
  });
});

test('a page of whole thousands of turns has each event once', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const update = (n: number) => system.commands().send('channel', testChannel, 'channel.update', { name: `${n}` });
  for (let n = 0; n < 999; n += 37) await Promise.all(Array.from({ length: 37 }, (_, i) => update(n + i)));
  const { feed, close } = system.reader();
  for (const limit of [999, 1_000, 1_001, 5_000]) {
    const numbers = feed.read({ after: [], limit }).entries.map(({ event }) => event.seq);
    expect(numbers).toEqual(Array.from({ length: Math.min(limit, 1_000) }, (_, n) => n + 1));
  }
  close();
}, 30_000);

test('a text that looks like a type is not taken for one', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  const id = conversationOf('ann');
  await commands.send('conversation', id, 'messages.ingest', ingestOf('ann', ['1']));
  const lookalike = { list: ['message.created', 2], text: '["message.created"' };
  await commands.send('conversation', id, 'metadata.upsert', { messageId: null, data: lookalike });
  await commands.send('conversation', id, 'messages.ingest', ingestOf('ann', ['2'], 'more'));
  const { feed, close } = system.reader();
  for (const limit of [1, 2, 3, 10]) {
    const read = readOn(feed, { after: [], limit, types: ['message.created'] });
    expect(read.map(({ event }) => [event.type, event.seq])).toEqual([
      ['message.created', 1],
      ['message.created', 5],
    ]);
  }
  close();
});

test('turns that are cut while they are read are read whole', async () => {
  await using system = new ActorSystem({ retention: { journal: hour } });
  const commands = system.commands();
  await connectTestChannel(commands);
  const id = conversationOf('ann');
  for (let n = 0; n < 5; n++) {
    await commands.send('conversation', id, 'messages.ingest', ingestOf('ann', ['1'], `m${n}`));
  }
  // A round of retention in the host's thread, between two statements of the reader's.
  const db = openForReading(system.file);
  let cut = (): void => {};
  const watched = watchedConnection(db, (sql) => {
    if (sql.includes('WHERE key = ?') && sql.includes('events')) cut();
  });
  const feed = feedReader(watched, 1, kinds);
  const before = feed.read({ after: [], limit: 100, conversationId: id }).entries;
  expect(before).toHaveLength(10);
  const host = new Database(system.file);
  cut = () => host.exec('DELETE FROM journal');
  expect(feed.read({ after: [], limit: 100, conversationId: id }).entries.map(said)).toEqual(before.map(said));
  cut = () => {};
  expect(feed.read({ after: [], limit: 100, conversationId: id }).entries).toEqual([]);
  host.close();
  db.close();
});
