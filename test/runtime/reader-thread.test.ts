import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConversationFilter } from '#actors/conversation/reader.ts';
import type { Logger } from '#actors/ports.ts';
import type { PageQuery } from '#actors/store/page.ts';
import { parseFilters } from '#src/http/conversations/filters.ts';
import { type ReaderLimits, ReaderThread } from '#src/runtime/reader-thread.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { failureOf } from '../actors/support.ts';

const contacts = Array.from({ length: 16 }, (_, n) => `contact-${n}`);
const firstPage: PageQuery = { limit: 5, from: null };
/** Looks at 16^8 combinations of rows for each conversation: minutes. */
const endless: ConversationFilter = {
  where: `(SELECT count(*) FROM conversation a, conversation b, conversation d, conversation e, conversation f,
    conversation g, conversation h, conversation i
    WHERE running(a.key + b.key + d.key + e.key + f.key + g.key + h.key + i.key)) = ?`,
  parameters: [0],
};

let system: ActorSystem;
let events: string[];
let thread: ReaderThread;

const threadWith = (limits: Partial<ReaderLimits> = {}, file = system.file): ReaderThread => {
  const note = (_fields: unknown, event: string): void => void events.push(event);
  const logger: Logger = { info: note, warn: note, error: note };
  thread = new ReaderThread({ file, shards: 1 }, logger, { readMs: 200, waitMs: 60_000, waiting: 8, ...limits });
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
});

afterEach(async () => {
  await thread.stop();
  await system[Symbol.asyncDispose]();
});

test('a read answers what the same thread would', async () => {
  const { reads } = threadWith();
  const reader = system.reader();
  const filter = parseFilters('unread_count:1')!;
  const pages = [await reads.conversations(firstPage, filter)];
  pages.push(await reads.conversations({ limit: 5, from: { key: pages[0]!.after!, direction: 'after' } }, filter));
  expect(pages[0]).toEqual(reader.conversations.page(firstPage, filter));
  expect(pages[0]!.total).toBe(contacts.length);
  expect(pages[1]!.items).toHaveLength(5);
  expect(await reads.conversations(firstPage, parseFilters(`id:${conversationOf('contact-3')}`)!)).toMatchObject({
    items: [{ id: conversationOf('contact-3') }],
  });
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
  const { reads } = threadWith();
  const filter = parseFilters('unread_count:2')!;
  expect(await reads.conversations(firstPage, filter)).toMatchObject({ total: 0 });
  const id = conversationOf('contact-0');
  await system.commands().send('conversation', id, 'messages.ingest', ingestOf('contact-0', ['again'], 'more'));
  expect(await reads.conversations(firstPage, filter)).toMatchObject({ total: 1 });
});

test('a slow read is cut and those behind it are answered', async () => {
  const { reads } = threadWith();
  const filter = parseFilters('unread_count:1')!;
  const slow = failureOf(reads.conversations(firstPage, endless));
  const behind = Promise.all([1, 2, 3].map(() => reads.conversations(firstPage, filter)));
  expect(await slow).toBe('query_too_slow');
  for (const page of await behind) expect(page.total).toBe(contacts.length);
  expect(events).toEqual(['read.cut']);
});

test('one slow read after another is cut', async () => {
  const { reads } = threadWith({ readMs: 50 });
  const slow = [1, 2, 3, 4].map(() => failureOf(reads.conversations(firstPage, endless)));
  expect(await Promise.all(slow)).toEqual(Array(4).fill('query_too_slow'));
  expect(await reads.deadLetters(firstPage)).toMatchObject({ total: 0 });
});

test('a read that finds too many waiting is refused', async () => {
  const { reads } = threadWith({ waiting: 2 });
  const filter = parseFilters('unread_count:1')!;
  const waiting = [1, 2].map(() => reads.conversations(firstPage, filter));
  expect(await failureOf(reads.conversations(firstPage, filter))).toBe('overloaded');
  for (const page of await Promise.all(waiting)) expect(page.total).toBe(contacts.length);
});

test('a read that waits too long for its turn is refused', async () => {
  const { reads } = threadWith({ readMs: 60_000, waitMs: 2_000 });
  const slow = failureOf(reads.conversations(firstPage, endless));
  expect(await failureOf(reads.deadLetters(firstPage))).toBe('overloaded');
  await thread.stop();
  expect(await slow).toBe('unavailable');
});

test('a read of nonsense is a defect, and only its own', async () => {
  const { reads } = threadWith();
  const nonsense = reads.conversations(firstPage, { where: 'no_such_column = 1', parameters: [] });
  await expect(nonsense).rejects.toThrow('no such column');
  expect(await reads.deadLetters(firstPage)).toMatchObject({ total: 0 });
});

test('reads of a file that can not be opened fail', async () => {
  const { reads } = threadWith({}, join(system.folder, 'none.db'));
  expect(await failureOf(reads.deadLetters(firstPage))).toBe('unavailable');
  expect(events).toEqual(['reader.failed']);
});

test('a stopped thread refuses what waits and what comes', async () => {
  const { reads } = threadWith();
  const cut = failureOf(reads.conversations(firstPage, endless));
  const waiting = failureOf(reads.deadLetters(firstPage));
  await thread.stop();
  expect(await Promise.all([cut, waiting])).toEqual(['unavailable', 'unavailable']);
  expect(await failureOf(reads.deadLetters(firstPage))).toBe('unavailable');
});
