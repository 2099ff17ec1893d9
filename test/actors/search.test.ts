import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { foundBy } from '#actors/conversation/search/found.ts';
import { SearchIndex } from '#actors/conversation/search/index.ts';
import { docsPerConversation } from '#actors/conversation/search/file.ts';
import { entryQueries, rangeQuery } from '#actors/conversation/search/metadata.ts';
import { saying, wordsQuery } from '#actors/conversation/search/words.ts';
import { Failure } from '#actors/errors.ts';
import { contactOfConversation } from '#actors/ids.ts';
import { parseFilter } from '#src/http/filters/grammar.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';

const always = () => true;
const never = () => false;

/** A system in which people have said things; its index, when it is asked for. */
async function started(said: Record<string, string[]>, shards = 1) {
  const system = new ActorSystem({ shards });
  await connectTestChannel(system.commands());
  let pushes = 0;
  const say = (contact: string, ...texts: string[]) =>
    system
      .commands()
      .send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, texts, `p${pushes++}`));
  for (const [contact, texts] of Object.entries(said)) await say(contact, ...texts);
  const db = system.open();
  const open = () => new SearchIndex(db);
  const file = system.file.replace('.db', '.search.db');
  return {
    ...{ system, db, say, open, file },
    async [Symbol.asyncDispose]() {
      db.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

const counted = (index: SearchIndex, filter: string): number => foundBy(index, parseFilter(filter)!).count();

const merge = (hub: { system: ActorSystem }, contact: string, metadata: object) =>
  hub.system.commands().send('conversation', conversationOf(contact), 'metadata.merge', {
    about: [{ messageId: null, metadata: [metadata as never] }],
  });

test.each([1, 4])('what is said and changed is found, with %i shards', async (shards) => {
  await using hub = await started({ ann: ['hello'], bob: ['good morning'] }, shards);
  const index = hub.open();
  expect(index.advance(always)).toBe(true);
  expect([counted(index, 'text:hello'), counted(index, 'unread_count:1')]).toEqual([1, 2]);
  await hub.say('ann', 'good evening', 'good night');
  await hub.say('cleo', 'hello there');
  await merge(hub, 'bob', { plan: 'gold', contact: { display_name: 'Robert' } });
  index.advance(always);
  expect([counted(index, 'text:good'), counted(index, 'text:hello')]).toEqual([2, 2]);
  expect([counted(index, 'unread_count:3'), counted(index, 'robert')]).toEqual([1, 1]);
  await merge(hub, 'bob', { plan: 'silver' });
  index.advance(always);
  expect([counted(index, 'metadata.plan:gold'), counted(index, 'metadata.plan:silver')]).toEqual([0, 1]);
  index.close();
});

test('an index that is opened again goes on where it stood', async () => {
  await using hub = await started({ ann: ['hello'], bob: ['hello'] });
  await merge(hub, 'ann', { plan: 'gold' });
  const first = hub.open();
  first.advance(always);
  first.close();
  await merge(hub, 'ann', { plan: 'silver' });
  await hub.say('bob', 'hello again');
  const second = hub.open();
  second.advance(always);
  const kept = ['text:hello', 'text:again', 'metadata.plan:gold', 'metadata.plan:silver'];
  expect(kept.map((filter) => counted(second, filter))).toEqual([2, 1, 0, 1]);
  const docs = second.file.prepare('SELECT count(*) FROM message').pluck().get();
  expect(docs).toBe(3);
  second.close();
});

test('an index without time for all says so, and goes on', async () => {
  await using hub = await started({ ann: Array<string>(600).fill('hello') });
  const index = hub.open();
  expect(index.advance(never)).toBe(false);
  expect(() => counted(index, 'text:hello')).toThrow(Failure);
  const before = index.progress();
  expect(before.left).toBeGreaterThan(600);
  let rounds = 0;
  while (!index.advance(never)) rounds++;
  expect(rounds).toBeGreaterThan(1);
  expect([index.progress().left, counted(index, 'text:hello')]).toEqual([0, 1]);
  index.close();
});

test('of more conversations than are read at once each is found', async () => {
  await using hub = await started({});
  const people = Array.from({ length: 1_100 }, (_, n) => `person ${n}`);
  await Promise.all(people.map((person) => hub.say(person, 'hello')));
  const [first, last] = [conversationOf(people[0]!), conversationOf(people.at(-1)!)];
  await hub.system.commands().send('conversation', last, 'conversation.set-state', { state: 'OPEN' });
  const index = hub.open();
  index.advance(always);
  const asked = ['text:hello', 'unread_count:1', `id:${first}`, `id:${last} AND metadata.state:OPEN`];
  expect(asked.map((filter) => counted(index, filter))).toEqual([1_100, 1_100, 1, 1]);
  await Promise.all(people.slice(0, 600).map((person) => hub.say(person, 'again')));
  index.advance(always);
  expect([counted(index, 'unread_count:2'), counted(index, 'text:again')]).toEqual([600, 600]);
  index.close();
});

test('what is said very often is found everywhere', async () => {
  await using hub = await started({});
  const index = hub.open();
  const add = index.file.prepare("INSERT INTO words (rowid, text) VALUES (?, 'hello')");
  const said = 50_001;
  index.file.transaction(() => {
    for (let ordinal = 1; ordinal <= said; ordinal++) add.run(ordinal * docsPerConversation);
  })();
  let asked = 0;
  const found = [...saying(index.file, { pieces: ['hello'], at: 0 }, () => void asked++)].flat();
  expect([found.length, new Set(found).size, asked]).toEqual([said, said, 1]);
  index.close();
});

test('what the journal has forgotten is found all the same', async () => {
  await using hub = await started({ ann: ['hello'] });
  const index = hub.open();
  index.advance(always);
  await merge(hub, 'ann', { plan: 'gold' });
  change(hub.system.file, 'DELETE FROM journal; UPDATE shard SET horizon = next_position');
  index.advance(always);
  expect(counted(index, 'metadata.plan:gold')).toBe(1);
  index.close();
});

test.each([
  ['is no database', (file: string) => writeFileSync(file, 'nonsense'.repeat(10_000))],
  ['is damaged inside', damage],
  ['is of another instance', (file: string) => change(file, "UPDATE meta SET value = '1 other' WHERE name = 'stamp'")],
  ['is of another version', (file: string) => change(file, "UPDATE meta SET value = '0 x' WHERE name = 'stamp'")],
  ['has read further than there is', (file: string) => change(file, 'UPDATE read SET message = message + 1000000')],
  ['has read other messages', (file: string) => change(file, 'UPDATE read SET id = randomblob(16)')],
])('a file that %s is made anew', async (_, spoil) => {
  await using hub = await started({ ann: ['hello'], bob: ['hello'] });
  const first = hub.open();
  first.advance(always);
  first.close();
  change(hub.file, "INSERT INTO meta VALUES ('mark', 'of the file that was there')");
  spoil(hub.file);
  const second = hub.open();
  while (!second.advance(always));
  expect(second.file.prepare("SELECT value FROM meta WHERE name = 'mark'").all()).toEqual([]);
  expect(counted(second, 'text:hello')).toBe(2);
  second.close();
});

function change(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

/** Every page but the first is overwritten. */
function damage(file: string): void {
  change(file, 'PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xee, 4_096));
}

test('a file that is damaged while it is used is made anew', async () => {
  await using hub = await started({ ann: ['hello'] });
  const reader = hub.system.reader();
  const found = () => reader.conversations.page({ limit: 1, from: null }, parseFilter('text:hello')).total;
  expect(found()).toBe(1);
  change(hub.file, 'PRAGMA wal_checkpoint(TRUNCATE)');
  writeFileSync(hub.file, readFileSync(hub.file).fill(0xee, 4_096));
  expect(found).toThrow(/^The index of filters is being /);
  expect(found()).toBe(1);
  reader.close();
});

test('of an erased message no word stays in the file', async () => {
  await using hub = await started({ ann: ['the password is xylophone', 'hello'], bob: ['hello'] });
  const index = hub.open();
  index.advance(always);
  const inFile = (word: string): boolean =>
    ['', '-wal'].some((suffix) => readFileSync(hub.file + suffix).includes(word));
  expect([inFile('xylophone'), counted(index, 'text:xylophone')]).toEqual([true, 1]);
  const partOf = { contact: contactOfConversation(conversationOf('ann')), erasure: 1 };
  await hub.system.commands().send('conversation', conversationOf('ann'), 'conversation.erase', { partOf });
  await hub.say('ann', 'good evening');
  index.advance(always);
  expect([inFile('xylophone'), counted(index, 'text:xylophone'), counted(index, 'text:hello')]).toEqual([false, 0, 1]);
  expect(counted(index, 'text:evening')).toBe(1);
  index.close();
});

test.each([
  ['present', entryQueries.present, /SEARCH entry USING PRIMARY KEY \(path=\? AND type=\?\)/],
  ['match', entryQueries.match, /SEARCH entry USING PRIMARY KEY \(path=\? AND type=\? AND value=\?\)/],
  [
    'beginning',
    entryQueries.beginning,
    /SEARCH entry USING PRIMARY KEY \(path=\? AND type=\? AND value>\? AND value<\?\)/,
  ],
  [
    'range',
    rangeQuery({ pieces: ['1'], at: 0 }, null),
    /SEARCH entry USING PRIMARY KEY \(path=\? AND type=\? AND value>\?\)/,
  ],
  ['words', wordsQuery, /SCAN words VIRTUAL TABLE INDEX \d+:M\d+>/],
])('%s is looked up by an index', async (_, sql, plan) => {
  await using hub = await started({});
  const index = hub.open();
  const rows = index.file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill('x'));
  expect((rows as { detail: string }[]).map(({ detail }) => detail)).toEqual([expect.stringMatching(plan)]);
  index.close();
});
