import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import Database from 'better-sqlite3';
import type { Clause } from '#actors/filter.ts';
import type { Logger } from '#actors/ports.ts';
import type { PageQuery } from '#actors/store/page.ts';
import { parseFilter } from '#src/http/filters/grammar.ts';
import { type ReaderLimits, ReaderThread } from '#src/runtime/reader-thread.ts';
import { breakPages } from '../_support/broken-pages.ts';
import { sealKeys } from '../_support/config.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { failureOf } from '../actors/support.ts';
import { itemsOf } from '../_support/pages.ts';

const contacts = Array.from({ length: 16 }, (_, n) => `contact-${n}`);
const firstPage: PageQuery = { limit: 5, from: null };
const nothing = parseFilter('display_name:*nobody*')!;
const thirty = (clause: Clause): Clause => ({ kind: 'any', clauses: Array<Clause>(30).fill(clause) });
/** Looks at the name of each conversation 810,000 times: minutes, with the copies. */
const endless = thirty(thirty(thirty(thirty(nothing))));
const copies = 4_000;
const minute = 60_000;

/** Adds copies of a conversation, which a filter has to look at. */
function addCopies(file: string): void {
  const db = new Database(file);
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all('conversation') as string[];
  const values = columns.map((name) => (name === 'key' ? 'key + n' : name === 'id' ? 'randomblob(16)' : name));
  db.exec(`WITH RECURSIVE n(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM n WHERE n < ${1_000 + copies})
    INSERT INTO conversation (${columns}) SELECT ${values} FROM conversation, n
    WHERE key = (SELECT min(key) FROM conversation)`);
  db.exec('UPDATE conversation SET unread_count = 9 WHERE key >= 1000');
  db.close();
}

let system: ActorSystem;
let events: string[];
let thread: ReaderThread;

const threadWith = (limits: Partial<ReaderLimits> = {}, file = system.file): ReaderThread => {
  const note = (_fields: unknown, event: string): void => void events.push(event);
  const logger: Logger = { info: note, warn: note, error: note };
  thread = new ReaderThread({ file, shards: 1, ...sealKeys }, logger, {
    readMs: 500,
    waitMs: minute,
    waiting: 8,
    waitingOfOne: 8,
    ...limits,
  });
  return thread;
};

beforeEach(async () => {
  system = new ActorSystem();
  events = [];
  await connectTestChannel(system.commands());
  await Promise.all(
    contacts.map((contact) =>
      system.commands().send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['hi'])),
    ),
  );
  addCopies(system.file);
  // What is tried here is how long reads take, not how long their index takes to be built.
  const reader = system.reader();
  reader.conversations.follow(minute);
  reader.close();
});

afterEach(async () => {
  await thread.stop();
  await system[Symbol.asyncDispose]();
});

test('a read answers what the same thread would', async () => {
  const reads = threadWith().readsFor('ann');
  const reader = system.reader();
  const filter = parseFilter('unread_count:1')!;
  const pages = [await reads.conversations(firstPage, filter)];
  pages.push(await reads.conversations({ limit: 5, from: { key: pages[0]!.after!, direction: 'after' } }, filter));
  expect(pages[0]).toEqual(reader.conversations.page(firstPage, filter));
  expect(pages[0]!.total).toBe(contacts.length);
  expect(pages[1]!.items).toHaveLength(5);
  const found = await reads.conversations(firstPage, parseFilter(`id:${conversationOf('contact-3')}`)!);
  expect(itemsOf(found)).toMatchObject([{ id: conversationOf('contact-3') }]);
  expect(await reads.deadLetters(firstPage, { redriven: false })).toEqual({
    items: [],
    before: null,
    after: null,
    total: 0,
  });
  expect(await reads.webhookDeliveries(conversationOf('x'), firstPage, {})).toMatchObject({ total: 0 });
  reader.close();
});

test('a read sees every commit before it', async () => {
  const reads = threadWith().readsFor('ann');
  const filter = parseFilter('unread_count:2')!;
  expect(await reads.conversations(firstPage, filter)).toMatchObject({ total: 0 });
  const id = conversationOf('contact-0');
  await system.commands().send('conversation', id, 'messages.ingest', ingestOf('contact-0', ['again'], 'more'));
  expect(await reads.conversations(firstPage, filter)).toMatchObject({ total: 1 });
});

test('a slow read is cut and those behind it are answered', async () => {
  const reads = threadWith().readsFor('ann');
  const filter = parseFilter('unread_count:1')!;
  const slow = failureOf(reads.conversations(firstPage, endless));
  const behind = Promise.all([1, 2, 3].map(() => reads.conversations(firstPage, filter)));
  expect(await slow).toBe('query_too_slow');
  for (const page of await behind) expect(page.total).toBe(contacts.length);
  expect(events).toEqual(['read.cut']);
});

test('one slow read after another is cut', async () => {
  const reads = threadWith({ readMs: 50 }).readsFor('ann');
  const slow = [1, 2, 3, 4].map(() => failureOf(reads.conversations(firstPage, endless)));
  expect(await Promise.all(slow)).toEqual(Array(4).fill('query_too_slow'));
  expect(await reads.deadLetters(firstPage)).toMatchObject({ total: 0 });
});

test('a read that finds too many waiting is refused', async () => {
  const reads = threadWith({ waiting: 2 }).readsFor('ann');
  const filter = parseFilter('unread_count:1')!;
  const waiting = [1, 2].map(() => reads.conversations(firstPage, filter));
  expect(await failureOf(reads.conversations(firstPage, filter))).toBe('overloaded');
  for (const page of await Promise.all(waiting)) expect(page.total).toBe(contacts.length);
});

test('a read that waits too long for its turn is refused', async () => {
  const reads = threadWith({ readMs: 60_000, waitMs: 2_000 }).readsFor('ann');
  const slow = failureOf(reads.conversations(firstPage, endless));
  expect(await failureOf(reads.deadLetters(firstPage))).toBe('overloaded');
  await thread.stop();
  expect(await slow).toBe('unavailable');
});

test('a read of nonsense is a defect, and only its own', async () => {
  const reads = threadWith().readsFor('ann');
  const nonsense = reads.conversations({ limit: Number.NaN, from: null }, null);
  await expect(nonsense).rejects.toThrow('datatype mismatch');
  expect(await reads.deadLetters(firstPage)).toMatchObject({ total: 0 });
});

test('a read of a broken page is known as such', async () => {
  const reads = threadWith().readsFor('ann');
  const mend = breakPages(system.file, 'conversation');
  const broken = reads.conversations(firstPage, parseFilter('unread_count:1')!);
  await expect(broken).rejects.toMatchObject({ code: 'SQLITE_CORRUPT' });
  mend();
});

test('reads of a file that can not be opened fail', async () => {
  const reads = threadWith({}, join(system.folder, 'none.db')).readsFor('ann');
  expect(await failureOf(reads.deadLetters(firstPage))).toBe('unavailable');
  expect(events).toEqual(['reader.failed']);
});

test('a stopped thread refuses what waits and what comes', async () => {
  const reads = threadWith().readsFor('ann');
  const cut = failureOf(reads.conversations(firstPage, endless));
  const waiting = failureOf(reads.deadLetters(firstPage));
  await thread.stop();
  expect(await Promise.all([cut, waiting])).toEqual(['unavailable', 'unavailable']);
  expect(await failureOf(reads.deadLetters(firstPage))).toBe('unavailable');
});

test('reads go round the callers', async () => {
  threadWith();
  const answered: string[] = [];
  const ask = async (caller: string): Promise<void> => {
    await thread.readsFor(caller).deadLetters(firstPage);
    answered.push(caller);
  };
  await Promise.all([...'aaabab'].map(ask));
  expect(answered.join('')).toBe('ababaa');
});

test('one caller leaves room for others to wait', async () => {
  threadWith({ waiting: 4, waitingOfOne: 2 });
  const filter = parseFilter('unread_count:1')!;
  const ask = (caller: string) => thread.readsFor(caller).conversations(firstPage, filter);
  const waiting = [ask('a'), ask('a')];
  expect(await failureOf(ask('a'))).toBe('overloaded');
  for (const page of await Promise.all([...waiting, ask('b')])) expect(page.total).toBe(contacts.length);
});
