import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { kinds } from '#actors/kinds.ts';
import type { AnyKind } from '#actors/runtime/kind.ts';
import type { Connection } from '#actors/store/database.ts';
import { start } from '#actors/store/migrations/001-start.ts';
import { Table } from '#actors/store/table.ts';
import type { ActorRow } from '#actors/store/tables.ts';
import { retentionPolicy } from '#src/node/retention.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { testConfig } from '../_support/config.ts';
import { problemsBetween, problemsOf } from './kind-rules.ts';

const periods = Object.keys(retentionPolicy(testConfig()));
const kindOf = (name: string): AnyKind => kinds.find((kind) => kind.name === name)!;
const channel = kindOf('channel');
const webhooks = kindOf('webhook-subscription');
const { onTimer: _, ...deaf } = webhooks;

async function overFile<T>(read: (db: Connection) => T): Promise<T> {
  await using system = new ActorSystem();
  const db = system.open();
  try {
    return read(db);
  } finally {
    db.close();
  }
}

test('every kind fits the schema, and no two meet', async () => {
  const problems = await overFile((db) => [
    ...kinds.flatMap((kind) => problemsOf(kind, db, periods)),
    ...problemsBetween(kinds, db),
  ]);
  expect(problems).toEqual([]);
});

const mistakes: [mistake: string, kind: AnyKind, problem: string][] = [
  ['a table that is none of actors', { ...channel, table: new Table<ActorRow>('outbox', ['id']) }, 'no actors'],
  ['a table that no migration makes', { ...channel, tables: [new Table('letter')] }, 'letter has no integer key'],
  ['a column that nobody starts', { ...channel, blank: { ...channel.blank, colour: '' } as never }, 'other columns'],
  ['an id that is not declared one', { ...channel, table: new Table<ActorRow>('channel') }, 'channel holds other ids'],
  [
    'a machine without its column',
    { ...webhooks, owned: [{ ...webhooks.owned![0]!, column: 'engine' }] },
    'nothing has the machine webhook-delivery',
  ],
  ['timers that nobody takes', deaf, 'nobody takes the timers of webhook-delivery'],
  [
    'pruning by a command that is none',
    { ...webhooks, pruning: { ...webhooks.pruning!, command: 'deliveries.cut' } },
    'no command deliveries.cut',
  ],
  [
    'a period that nobody configures',
    { ...webhooks, pruning: { ...webhooks.pruning!, period: 'letters' } },
    'how long letters is',
  ],
  ['a recognised command that is none', { ...channel, recognised: { 'channel.paint': () => null } }, 'channel.paint'],
  ['an event that is none', { ...channel, renderers: () => ({ 'channel.painted': () => '' }) as never }, 'no event'],
];

test.each(mistakes)('%s is noticed', async (_, kind, problem) => {
  const [found = '', ...others] = await overFile((db) => problemsOf(kind, db, periods));
  expect(found).toContain(problem);
  expect(others).toEqual([]);
});

test('an id that two actors may have is noticed', () => {
  const db = new Database(':memory:');
  db.exec(start.replace('UNIQUE INDEX channel_actor', 'INDEX channel_actor'));
  expect(problemsOf(channel, db, periods)).toEqual(['channel: two of its actors may have one id']);
  db.close();
});

test.each<[string, AnyKind[], string[]]>([
  ['left out of the list', kinds.filter(({ name }) => name !== 'channel'), ['nobody declares channel']],
  [
    'named like another, reader and all',
    [...kinds, { ...channel, table: new Table<ActorRow>('mark'), tables: [] }],
    ['two kinds are called channel', 'two declare mark', 'two readers are called channels'],
  ],
  [
    'followed beside conversations',
    kinds.map((kind) => (kind === channel ? { ...kind, followed: true } : kind)),
    ['two kinds can be followed'],
  ],
])('a kind that is %s is noticed', async (_, list, problems) => {
  expect(await overFile((db) => problemsBetween(list, db))).toEqual(problems);
});
