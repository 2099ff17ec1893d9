import Database from 'better-sqlite3';
import { copyFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { componentActorId, contactOfConversation, mediaActorId, sourceActorId } from '#actors/ids.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { kinds } from '#actors/kinds.ts';
import { Secret } from '#src/config/config.ts';
import { sealKeysOf } from '#src/security/seal-key.ts';
import {
  ActorSystem,
  connectTestChannel,
  conversationOf,
  ingestOf,
  testChannel,
  testSource,
} from '../_support/actor-system.ts';
import { sealKeys } from '../_support/config.ts';
import {
  elapse,
  envelopeFor,
  failureOf,
  request,
  rowsOf,
  sendText,
  tableNames,
  uuid,
  withHandlers,
} from './support.ts';
import { sendThrice } from './sending.ts';
import { delivered, failed, Subscriber } from './webhook-support.ts';

/** Every table of the file. */
const tables = [...tableNames, 'meta'] as const;
let system: ActorSystem;
let copy: string;

beforeAll(async () => {
  system = await everyTable();
  copy = `${system.file}.copy`;
  await system.stop();
  const db = new Database(system.file);
  db.pragma('journal_mode = DELETE');
  db.close();
});

afterAll(async () => {
  rmSync(copy, { force: true });
  await system[Symbol.asyncDispose]();
});

const ann = conversationOf('ann');
const acme = sourceActorId('acme');

/** A system whose every table has rows: of turns that are kept, and of some that are forgotten. */
async function everyTable(): Promise<ActorSystem> {
  const throwing = withHandlers({
    'test.throw'() {
      throw new Error('a defect');
    },
  });
  const made = new ActorSystem({ shards: 2, kinds: throwing, retention: { journal: 60_000 } });
  const commands = made.commands();
  await connectTestChannel(commands);
  for (const contact of ['ann', 'bob', 'cid']) {
    await commands.send('conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['1', '2']));
  }
  const subscriber = new Subscriber(made);
  await subscriber.subscribe({ start: [], signatureKey: 'key' });
  await subscriber.record([[subscriber.next()[0]!, failed]]);
  await elapse(made, 120_000, 10_000);
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['3'], 'more'));
  await commands.send('conversation', conversationOf('bob'), 'messages.ingest', ingestOf('bob', ['3'], 'more'));
  await commands.send('conversation', ann, 'metadata.merge', { about: [{ messageId: null, metadata: [{ a: 1 }] }] });
  await sendText(commands, 'unknown', 'are you there?');
  await callSource(made);
  await sendThrice(made, 'dan');
  await commands.send('source', acme, 'source.create', { sourceId: 'acme', actionEndpoint: 'http://a' });
  const items = [{ namespace: 'message', sourceId: 'later', metadata: { a: 1 } }] as const;
  await commands.send('source', acme, 'metadata.park', { source: 'acme', items: [...items] });
  await commands.send('idempotency-key', acme, 'key.claim', { bodyHash: 'x' });
  const configuration = { secret: '{"name":"a"}', shown: { name: 'a' } };
  await commands.send('component', componentActorId('integration-webhook'), 'component.update', {
    ...{ name: 'integration-webhook', inFile: true, enabled: true, configuration },
  });
  const file = { sha256: 'a'.repeat(64), bytes: 1, type: 'image/png', name: 'a.png' };
  await commands.send('media', mediaActorId(file.sha256), 'media.store', file);
  const picture = ingestOf('ann', [`/media/${file.sha256}`], 'picture');
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', picture);
  const key = { name: 'CRM', hash: 'x', operations: ['*'], sources: ['acme'], createdBy: 'test' };
  await commands.send('api-key', uuid(), 'api-key.create', key);
  await commands.send('user', ann, 'user.log-in', { userId: 'id.example:ann' });
  const login = { hash: 'x', user: ann, expiresAt: 1 };
  await commands.send('user-session', uuid(), 'session.start', login);
  await makeContacts(commands);
  const [tagId, templateId] = [uuid(), uuid()];
  await commands.send('tag', tagId, 'tag.create', { name: 'Urgent', color: 'tag-red' });
  await commands.send('tag', tagId, 'tag.attached', { conversationId: ann });
  await commands.send('template', templateId, 'template.create', { name: 'Hello', source: 'acme', content: ['Hi'] });
  const [first, second, third] = subscriber.next();
  await subscriber.record([
    [first!, delivered],
    [second!, failed],
    [third!, { kind: 'expired' }],
  ]);
  subscriber.reader.close();
  expect(await request(made, envelopeFor(made, 'conversation', ann, 'test.throw', null))).toMatchObject({ ok: false });
  expect(await failureOf(commands.send('conversation', testChannel, 'conversation.mark-read', null))).toBe('not_found');
  return made;
}

/** A contact that took in another, and the first part of an import. */
async function makeContacts(commands: CommandSender): Promise<void> {
  const into = contactOfConversation(ann);
  const appearance = { conversationId: ann, source: testSource, displayName: 'Ann' };
  await commands.send('contact', into, 'contact.appear', appearance);
  const from = uuid();
  const contact = { id: from, display_name: 'Bob', conversations: {}, created_at: new Date(0).toISOString() };
  await commands.send('contact', into, 'contact.absorb', { from, merges: 1, path: [from], contact, history: [] });
  await commands.send('contact-import', uuid(), 'import.add', { part: 0, contacts: [{ display_name: 'Cid' }] });
}

/** Sends a message to Ann, calls her source for it, and has the source push what may be its echo. */
async function callSource(made: ActorSystem): Promise<void> {
  const commands = made.commands();
  await sendText(commands, 'ann', 'hello');
  const reader = made.reader();
  const effect = [0, 1].flatMap((shard) => reader.outbox.after(shard, 0, 1))[0]!;
  const messageId = reader.deliveries.find(effect.subject)!.message.id;
  reader.close();
  await commands.send('conversation', ann, 'attempt.start', { messageId, effectId: effect.id });
  const { origin, messages } = ingestOf('ann', ['by hand'], 'desk');
  const said = messages.map((message) => ({ ...message, fromContact: false }));
  await commands.send('conversation', ann, 'messages.ingest', { origin, messages: said });
}

const problemsOf = (file: string): string[] => verifyFile(file, kinds, sealKeys.sealKey).problems;

/** What verifying says of a copy that was damaged. */
function problemsAfter(damage: string): string[] {
  copyFileSync(system.file, copy);
  const db = new Database(copy);
  expect(db.prepare(damage).run().changes, damage).toBeGreaterThan(0);
  db.close();
  return problemsOf(copy);
}

interface Column {
  name: string;
  type: string;
}

const columnsOf = (table: string): Column[] =>
  read((db) => db.prepare('SELECT name, type FROM pragma_table_info(?)').all(table) as Column[]);

function read<T>(what: (db: Database.Database) => T): T {
  const db = new Database(system.file, { readonly: true });
  try {
    return what(db);
  } finally {
    db.close();
  }
}

/** Another value than a column has. */
function another({ name, type }: Column): string {
  if (name === 'key' || name === 'shard') return `${name} + 1000`;
  if (type === 'INTEGER') return `ifnull(${name}, 0) + 1`;
  if (type === 'BLOB') return 'randomblob(16)';
  return `CASE WHEN json_valid(${name}) AND json_type(${name}) = 'object' THEN json_set(${name}, '$.x', 1)
    ELSE ifnull(${name}, '') || 'x' END`;
}

const keyColumnOf = (table: string): string => ({ shard: 'shard', meta: 'name' })[table] ?? 'key';

/** The newest and the oldest row of a table. */
const endsOf = (table: string): { key: unknown; where: string }[] =>
  ['max', 'min'].map((which) => {
    const column = keyColumnOf(table);
    const key = read((db) => db.prepare(`SELECT ${which}(${column}) FROM ${table}`).pluck().get());
    return { key, where: `WHERE ${column} = ${typeof key === 'number' ? key : `'${String(key)}'`}` };
  });

interface Damage {
  name: string;
  key: unknown;
  sql: string;
}

/** What a damaged row may be named as: where no kept turn has touched it, only its table is known. */
function namesOf(table: string, key: unknown): string[] {
  const noun = kinds.find((kind) => kind.table.name === table)?.name ?? table;
  const shard = typeof key === 'number' ? Math.floor(key / 2 ** 40) : 0;
  const untouched = `${table}: the rows that no kept turn of shard ${shard}`;
  const next = read((db) => db.prepare('SELECT min(key) FROM journal WHERE key > ?').pluck().get(key));
  // A turn is missed by the next one, the last one by its shard; an actor whose turns are forgotten by its base.
  const others = {
    journal: [`shard ${shard}:`, `journal ${next}:`],
    channel: [`base ${key}:`],
    conversation: [`base ${key}:`],
  };
  return [`${noun} ${key}:`, untouched, ...((others as Record<string, string[]>)[table] ?? [])];
}

/** Damages of a table that no problem names the row of. */
const unnoticed = (table: string, damages: Damage[]): string[] =>
  damages
    .filter(({ key, sql }) => {
      const names = table === 'meta' ? ['meta:'] : namesOf(table, key);
      return !problemsAfter(sql).some((problem) => names.some((name) => problem.startsWith(name)));
    })
    .map(({ name }) => name);

test('the file has rows in every table and is sound', () => {
  const empty = Object.entries(rowsOf(system.file)).filter(([, rows]) => rows.length === 0);
  expect(empty).toEqual([]);
  expect(problemsOf(system.file)).toEqual([]);
});

test.each(tables)('another value in any column is found: %s', (table) => {
  const damages = columnsOf(table).flatMap((column) =>
    endsOf(table).map(({ key, where }) => ({
      name: `${table}.${column.name}`,
      key: column.name === 'shard' ? (key as number) + 1000 : key,
      sql: `UPDATE ${table} SET ${column.name} = ${another(column)} ${where}`,
    })),
  );
  expect(unnoticed(table, damages)).toEqual([]);
});

test.each(tables)('a lost row is found: %s', (table) => {
  const damages = endsOf(table).map(({ key, where }) => ({ name: where, key, sql: `DELETE FROM ${table} ${where}` }));
  const [newest] = damages;
  const all = { ...newest!, name: 'all', sql: `DELETE FROM ${table}` };
  expect(unnoticed(table, [...damages, all])).toEqual([]);
});

test.each(tables)('a row that nobody wrote is found: %s', (table) => {
  const unique = read((db) =>
    db
      .prepare(`SELECT c.name FROM pragma_index_list(?) i, pragma_index_info(i.name) c WHERE i."unique"`)
      .pluck()
      .all(table),
  );
  const values = columnsOf(table).map((column) => {
    const isChanged = unique.includes(column.name) || column.name === keyColumnOf(table);
    return isChanged ? another(column) : column.name;
  });
  const { key, where } = endsOf(table)[0]!;
  const sql = `INSERT INTO ${table} SELECT ${values.join()} FROM ${table} ${where}`;
  expect(unnoticed(table, [{ name: 'copy', key: (key as number) + 1000, sql }])).toEqual([]);
});

test('a secret in the place of another one is found', () => {
  const problems = problemsAfter('UPDATE webhook_subscription SET signature_key = headers');
  expect(problems).toEqual([
    expect.stringMatching(/^webhook-subscription \d+: its signature_key does not open in its place$/),
  ]);
});

test('with another key only the seal is named', () => {
  const another = sealKeysOf({ jwtSecret: new Secret('another secret that is long enough') });
  expect(verifyFile(system.file, kinds, another.sealKey).problems).toEqual([
    'meta: the seal is another, or security.jwtSecret is not that of the file',
  ]);
});
