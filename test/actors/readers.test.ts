import { expect, test } from 'vitest';
import type { Clause } from '#actors/filter.ts';
import type { Page, PageKey, PageQuery } from '#actors/store/page.ts';
import { messageId } from '#actors/ids.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testSource } from '../_support/actor-system.ts';
import { uuid } from './support.ts';
import { itemsOf } from '../_support/pages.ts';

const ann = conversationOf('ann');
const field = (name: string) => ({ path: [name], at: 0 });

async function filled(texts: string[], shards = 1): Promise<ActorSystem> {
  const system = new ActorSystem({ shards });
  await connectTestChannel(system.commands());
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', texts));
  return system;
}

/** Every page of a list from its start, following `after`; `between` runs after each page. */
async function walk<T>(
  page: (query: PageQuery) => Page<T>,
  limit: number,
  between: (n: number) => Promise<unknown> = async () => {},
): Promise<Page<T>[]> {
  const pages: Page<T>[] = [];
  let after: PageKey | null = null;
  do {
    const next: Page<T> = page({ limit, from: after && { key: after, direction: 'after' } });
    pages.push(next);
    await between(pages.length);
    after = next.after;
  } while (after !== null && pages.length < 100);
  return pages;
}

const texts = ['0', '1', '2', '3', '4', '5', '6'];
const textOf = ({ content }: { content: unknown }): string => (content as { text: string }).text;

test.each([
  ['asc', texts],
  ['desc', texts.toReversed()],
] as const)('messages are walked %s', async (order, expected) => {
  await using system = await filled(texts);
  const reader = system.reader();
  for (const limit of [1, 2, 3, 7, 8]) {
    const pages = await walk((query) => reader.messages.page(ann, query, order), limit);
    expect(pages.flatMap(itemsOf).map(textOf)).toEqual(expected);
    expect(pages).toHaveLength(Math.ceil(texts.length / limit));
    expect(pages.map(({ total }) => total)).toEqual(pages.map(() => texts.length));
    expect(pages[0]?.before).toBeNull();
    expect(pages.at(-1)?.after).toBeNull();
  }
  reader.close();
});

test.each(['asc', 'desc'] as const)('a page %s leads back to the one before', async (order) => {
  await using system = await filled(texts);
  const reader = system.reader();
  const pages = await walk((query) => reader.messages.page(ann, query, order), 3);
  for (const [n, page] of pages.entries()) {
    if (n === 0) continue;
    const back = reader.messages.page(ann, { limit: 3, from: { key: page.before!, direction: 'before' } }, order);
    expect(back).toEqual(pages[n - 1]);
  }
  reader.close();
});

test('messages of one moment have a fixed order', async () => {
  await using system = await filled([]);
  const body = ingestOf('ann', texts);
  const messages = body.messages.map((message) => ({ ...message, sentAt: 1_000 }));
  await system.commands().send('conversation', ann, 'messages.ingest', { ...body, messages });
  const reader = system.reader();
  const pages = await walk((query) => reader.messages.page(ann, query, 'asc'), 2);
  expect(pages.flatMap(itemsOf).map(textOf)).toEqual(texts);
  reader.close();
});

test.each(['asc', 'desc'] as const)('inserts on the way %s repeat and skip nothing', async (order) => {
  await using system = await filled(texts);
  const reader = system.reader();
  const insert = (n: number) => {
    const body = ingestOf('ann', [`new ${n}`], `new-${n}`);
    const sentAt = n % 2 === 0 ? 1_000 : Date.UTC(2027, 0, 1);
    const messages = body.messages.map((message) => ({ ...message, sentAt }));
    return system.commands().send('conversation', ann, 'messages.ingest', { ...body, messages });
  };
  const pages = await walk(
    (query) => reader.messages.page(ann, query, order),
    2,
    (n) => (n < 6 ? insert(n) : Promise.resolve()),
  );
  const seen = pages.flatMap(itemsOf).map(textOf);
  const expected = order === 'asc' ? texts : texts.toReversed();
  expect(seen.filter((text) => !text.startsWith('new'))).toEqual(expected);
  expect(new Set(seen).size).toBe(seen.length);
  reader.close();
});

test('messages of an unknown conversation are an empty page', async () => {
  await using system = await filled(texts);
  const reader = system.reader();
  const empty = { items: [], before: null, after: null, total: 0 };
  expect(reader.messages.page(uuid(), { limit: 5, from: null }, 'asc')).toEqual(empty);
  expect(reader.messages.find(uuid())).toBeNull();
  expect(reader.conversations.find(uuid())).toBeNull();
  reader.close();
});

test('messages and conversations are found by their source ids', async () => {
  await using system = await filled(['hi']);
  const reader = system.reader();
  const found = { messageId: messageId(ann, testSource, 'ann-0'), conversationId: ann };
  expect(reader.messages.findBySourceId('acme', 'ann-0')).toEqual([found]);
  expect(reader.messages.findBySourceId('other', 'ann-0')).toEqual([]);
  expect(reader.conversations.findBySourceId('acme', 'ann')).toEqual([ann]);
  expect(reader.conversations.findBySourceId('other', 'ann')).toEqual([]);
  reader.close();
});

const contacts = ['a', 'b', 'c', 'd', 'e'];

/** Conversations a, b, c …, each with one message, a second younger than the one before. */
async function conversations(shards: number): Promise<ActorSystem> {
  const system = new ActorSystem({ shards });
  await connectTestChannel(system.commands());
  for (const [n, contact] of contacts.entries()) await say(system, contact, n);
  return system;
}

function say(system: ActorSystem, contact: string, second: number): Promise<unknown> {
  const body = ingestOf(contact, ['hi'], `${contact}-${second}`);
  const sentAt = Date.UTC(2026, 0, 1, 0, 0, second);
  const messages = body.messages.map((message) => ({ ...message, sentAt }));
  return system.commands().send('conversation', conversationOf(contact), 'messages.ingest', { ...body, messages });
}

const idsOf = (pages: Page<{ id: string }>[]): string[] => pages.flatMap(itemsOf).map(({ id }) => id);

test.each([1, 4])('conversations come last message first, with %i shards', async (shards) => {
  await using system = await conversations(shards);
  await say(system, 'b', 50);
  const reader = system.reader();
  for (const limit of [1, 2, 5, 6]) {
    const pages = await walk((query) => reader.conversations.page(query, null), limit);
    expect(idsOf(pages)).toEqual(['b', 'e', 'd', 'c', 'a'].map(conversationOf));
    for (const [n, page] of pages.entries()) {
      expect(page.total).toBe(5);
      if (n === 0) continue;
      const from = { key: page.before!, direction: 'before' } as const;
      expect(reader.conversations.page({ limit, from }, null)).toEqual(pages[n - 1]);
    }
  }
  reader.close();
});

test('new conversations on the way repeat and skip nothing', async () => {
  await using system = await conversations(4);
  const reader = system.reader();
  const pages = await walk(
    (query) => reader.conversations.page(query, null),
    2,
    (n) => say(system, `new-${n}`, 30 + n),
  );
  expect(idsOf(pages)).toEqual(contacts.toReversed().map(conversationOf));
  reader.close();
});

test('a filter chooses conversations and counts them', async () => {
  await using system = await conversations(4);
  await system.commands().send('conversation', conversationOf('c'), 'conversation.mark-read', null);
  const reader = system.reader();
  const source = (name: string): Clause => ({
    kind: 'match',
    field: field('source'),
    value: { pieces: [name], at: 0 },
  });
  const unread: Clause = { kind: 'range', field: field('unread_count'), from: { pieces: ['1'], at: 0 }, to: null };
  const filter: Clause = { kind: 'all', clauses: [unread, source('acme')] };
  const pages = await walk((query) => reader.conversations.page(query, filter), 3);
  expect(idsOf(pages)).toEqual(['e', 'd', 'b', 'a'].map(conversationOf));
  expect(pages.map(({ total }) => total)).toEqual([4, 4]);
  const back = { key: pages[1]!.before!, direction: 'before' } as const;
  expect(reader.conversations.page({ limit: 3, from: back }, filter)).toEqual(pages[0]);
  expect(reader.conversations.page({ limit: 3, from: null }, source('other'))).toEqual({
    items: [],
    before: null,
    after: null,
    total: 0,
  });
  reader.close();
});
