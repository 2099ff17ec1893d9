import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '#actors/errors.ts';
import { openStoreReader } from '#actors/store-reader.ts';
import { decodeCursor, encodeCursor } from '#actors/journal/cursor.ts';
import type { FeedReader } from '#actors/journal/feed.ts';
import { sealKeys } from '../../_support/config.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../../_support/actor-system.ts';
import { elapse } from '../support.ts';

const hour = 60 * 60 * 1000;
const contacts = Array.from({ length: 8 }, (_, n) => `c${n}`);

async function talking(options: ConstructorParameters<typeof ActorSystem>[0] = {}): Promise<ActorSystem> {
  const system = new ActorSystem(options);
  await connectTestChannel(system.commands());
  await talk(system, 'first');
  return system;
}

async function talk(system: ActorSystem, prefix: string): Promise<void> {
  for (const contact of contacts) {
    const body = ingestOf(contact, ['1', '2'], `${contact}-${prefix}`);
    await system.commands().send('conversation', conversationOf(contact), 'messages.ingest', body);
  }
}

/** What a cursor is refused with, null: it is taken. */
function refusalOf(feed: FeedReader, cursor: string): { code: string; message: string } | null {
  try {
    feed.decodeCursor(cursor);
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { code: error.code, message: error.message };
  }
}

const codeOf = (feed: FeedReader, cursor: string) => refusalOf(feed, cursor)?.code ?? 'none';

test('a cursor is the position after its event', async () => {
  await using system = await talking({ shards: 4 });
  const { feed, close } = system.reader();
  for (const { event, position } of feed.read({ after: [], limit: 100 }).entries) {
    expect(feed.decodeCursor(event.cursor)).toEqual(position);
    expect(feed.encodeCursor(position)).toBe(event.cursor);
    expect(event.cursor).toMatch(/^[\w-]+$/);
  }
  close();
});

test('a cursor that the hub did not give is refused', async () => {
  await using system = await talking({ shards: 4 });
  const { feed, close } = system.reader();
  const position = feed.end();
  const cursor = feed.encodeCursor(position);
  const text = Buffer.from(cursor, 'base64url').toString();
  const changed = (from: string, to: string) => Buffer.from(text.replace(from, to)).toString('base64url');
  const wrong = ['', 'x', '%%%', cursor.slice(1), cursor.slice(0, -2)];
  wrong.push(changed(`.${position[0]}.`, `.${position[0]! - 1}.`), changed(`.${position[0]}.`, `.0${position[0]}.`));
  wrong.push(changed('~', ''), changed('~', '~~'), cursor + cursor, Buffer.from('~').toString('base64url'));
  wrong.push(feed.encodeCursor([1]), feed.encodeCursor([1, 1, 1, 1, 1]), feed.encodeCursor([1, 1, 1, Number.NaN]));
  wrong.push(feed.encodeCursor([0, 0, 0, -1]), feed.encodeCursor([0, 0, 0, 0.5]));
  for (const one of wrong) expect([one, codeOf(feed, one)]).toEqual([one, 'invalid_cursor']);
  expect(feed.decodeCursor(cursor)).toEqual(position);
  close();
});

test('a cursor of another instance is refused, however like it is', async () => {
  await using one = await talking();
  await using two = await talking();
  const [a, b] = [one.reader(), two.reader()];
  expect(a.feed.end()).toEqual(b.feed.end());
  const cursor = a.feed.encodeCursor(a.feed.end());
  expect(codeOf(a.feed, cursor)).toBe('none');
  expect(refusalOf(b.feed, cursor)).toMatchObject({
    code: 'invalid_cursor',
    message: expect.stringContaining('another instance'),
  });
  a.close();
  b.close();
});

test('a file keeps its instance over restarts', async () => {
  await using system = await talking();
  const before = system.reader();
  const cursors = before.feed.read({ after: [], limit: 100 }).entries.map(({ event }) => event.cursor);
  before.close();
  await system.restart();
  const { feed, close } = system.reader();
  expect(feed.read({ after: [], limit: 100 }).entries.map(({ event }) => event.cursor)).toEqual(cursors);
  for (const cursor of cursors) expect(codeOf(feed, cursor)).toBe('none');
  close();
});

test('a restored copy knows its cursors, not those given later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-copy-'));
  await using system = await talking({ shards: 2 });
  await system.stop();
  const copy = join(folder, 'parley.db');
  copyFileSync(system.file, copy);
  system.start();
  const { feed, close } = system.reader();
  const then = feed.encodeCursor(feed.end());
  await talk(system, 'second');
  const later = feed.encodeCursor(feed.end());
  const restored = openStoreReader(copy, 2, sealKeys.sealKey);
  expect(restored.feed.decodeCursor(then)).toEqual(restored.feed.end());
  expect(refusalOf(restored.feed, later)).toMatchObject({
    code: 'invalid_cursor',
    message: expect.stringContaining('past the end'),
  });
  // One that is past the end in one shard alone is past the end.
  const [first, second] = restored.feed.end() as [number, number];
  for (const position of [
    [first + 1, second],
    [first, second + 1],
  ]) {
    expect(codeOf(restored.feed, feed.encodeCursor(position))).toBe('invalid_cursor');
  }
  restored.close();
  close();
  rmSync(folder, { recursive: true });
});

test('a cursor before what is kept names the oldest that works', async () => {
  await using system = await talking({ shards: 2, retention: { journal: hour } });
  const { feed, close } = system.reader();
  const old = feed.read({ after: [], limit: 100 }).entries;
  expect(codeOf(feed, feed.encodeCursor([0, 0]))).toBe('none');
  await elapse(system, hour / 2, hour / 32);
  await talk(system, 'second');
  const kept = feed.read({ after: feed.decodeCursor(old.at(-1)!.event.cursor), limit: 100 }).entries;
  await elapse(system, 0.65 * hour, hour / 32);
  const horizon = feed.start();
  expect(horizon.every((position) => position > 0)).toBe(true);
  // Behind the horizon in one shard alone is behind it.
  for (const cursor of [
    feed.encodeCursor([0, 0]),
    old[0]!.event.cursor,
    feed.encodeCursor([horizon[0]!, horizon[1]! - 1]),
  ]) {
    const { code, message } = refusalOf(feed, cursor)!;
    expect(code).toBe('cursor_expired');
    const oldest = message.split(' ').at(-1)!;
    expect(feed.decodeCursor(oldest)).toEqual(horizon);
    const read = feed.read({ after: feed.decodeCursor(oldest), limit: 100 }).entries;
    expect(read.map(({ event }) => event)).toEqual(kept.map(({ event }) => event));
  }
  // What somebody held who had read everything that is gone works as before.
  expect(codeOf(feed, old.at(-1)!.event.cursor)).toBe('none');
  close();
});

test('a reader sees the horizon that another process has moved', async () => {
  await using system = await talking({ retention: { journal: hour } });
  const { feed, close } = system.reader();
  const [first] = feed.read({ after: [], limit: 1 }).entries;
  expect(feed.start()).toEqual([0]);
  await elapse(system, 1.25 * hour, hour / 32);
  expect(feed.start()).toEqual(feed.end());
  expect(feed.read({ after: first!.position, limit: 10 }).entries).toEqual([]);
  expect(codeOf(feed, first!.event.cursor)).toBe('cursor_expired');
  expect(codeOf(feed, feed.encodeCursor(feed.end()))).toBe('none');
  close();
});

test('a cursor is made by who knows the whole instance only', () => {
  const extent = { instance: '12345678-true', start: [0], end: [5] };
  expect(decodeCursor(encodeCursor('12345678-true', [1]), extent)).toEqual([1]);
  expect(() => decodeCursor(encodeCursor('12345678-made-up', [1]), extent)).toThrow('not one that this hub has given');
});
