import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { kinds, kindTables } from '#actors/kinds.ts';
import { applyRecord } from '#actors/log/apply.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { Metrics } from '#src/metrics.ts';
import { startDispatch } from '#src/node/owner-dispatch.ts';
import type { NoteCommands } from '../_fixtures/note/contract.ts';
import { openFor } from '../_fixtures/note/machine.ts';
import type { NoteReader } from '../_fixtures/note/reads.ts';
import { ActorSystem, connectTestChannel, testChannel } from '../_support/actor-system.ts';
import { testConfig } from '../_support/config.ts';
import { problemsBetween, problemsOf } from './kind-rules.ts';
import { elapse, envelopeFor, eventsOf, RecordingLog, request, turnsOf, uuid } from './support.ts';

// All that adding a kind changes outside its folder: a line in the list of machines, one in that of kinds, a migration.
vi.mock('#machines/registry.ts', async (original) => {
  const { registry, ...rest } = await original<typeof import('#machines/registry.ts')>();
  const { note } = await import('../_fixtures/note/machine.ts');
  return { ...rest, registry: { ...registry, note: { machine: note, version: 1, migrations: [] } } };
});
vi.mock('#actors/kinds.ts', async (original) => {
  const lists = await original<typeof import('#actors/kinds.ts')>();
  const { forgetTypes } = await import('#actors/runtime/kind.ts');
  const { noteKind } = await import('../_fixtures/note/kind.ts');
  const tables = [noteKind.table, ...(noteKind.tables ?? [])];
  return { kinds: [...lists.kinds, forgetTypes(noteKind)], kindTables: [...lists.kindTables, ...tables] };
});
vi.mock('#actors/store/migrations/index.ts', async (original) => {
  const { migrations } = await original<typeof import('#actors/store/migrations/index.ts')>();
  const { noteTables } = await import('../_fixtures/note/migration.ts');
  return { migrations: [...migrations, noteTables] };
});

const note = uuid();
const hour = 60 * 60 * 1_000;

type Type = keyof NoteCommands;

const envelope = <T extends Type>(system: ActorSystem, type: T, body: NoteCommands[T]['body']) =>
  envelopeFor(system, 'note', note, type, body);

const ask = <T extends Type>(system: ActorSystem, type: T, body: NoteCommands[T]['body']) =>
  request(system, envelope(system, type, body));

const write = (system: ActorSystem, text: string) =>
  ask(system, 'note.write', { channelId: testChannel, id: uuid(), text });

const told = (system: ActorSystem) => eventsOf(system).filter(({ type }) => type === 'note.updated');

const problems = (system: ActorSystem): string[] => verifyFile(system.file, kinds).problems;

/** What the reader of notes, among all others, says of the note. */
function found(system: ActorSystem): ReturnType<NoteReader['find']> {
  const reader = system.reader();
  try {
    return (reader as unknown as { notes: NoteReader }).notes.find(note);
  } finally {
    reader.close();
  }
}

test('it fits the schema beside all others', async () => {
  await using system = new ActorSystem();
  const db = system.open();
  const beside = kinds.flatMap((kind) => problemsOf(kind, db, ['journal', 'deliveries', 'parkedMetadata', 'notes']));
  // A kind of the hub has its event in the list; this one can not be there.
  expect(beside).toEqual(['note: there is no event note.updated']);
  expect(problemsBetween(kinds, db)).toEqual([]);
  db.close();
});

test('it answers, refuses and can be read', async () => {
  await using system = new ActorSystem();
  expect(await ask(system, 'note.close', null)).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  expect(await write(system, 'call Ann')).toEqual({ ok: true, result: { number: 1 } });
  expect(await write(system, 'call Bob')).toEqual({ ok: true, result: { number: 2 } });
  expect(found(system)).toEqual({ state: 'open', lines: ['call Ann', 'call Bob'] });
  expect(await ask(system, 'note.close', null)).toEqual({ ok: true, result: null });
  expect(found(system)).toMatchObject({ state: 'closed' });
  await system.restart();
  expect(await write(system, 'again')).toEqual({ ok: true, result: { number: 3 } });
  expect(found(system)).toMatchObject({ state: 'open' });
  expect(problems(system)).toEqual([]);
});

test('its turns stand in the journal, its events in the feed', async () => {
  await using system = new ActorSystem();
  await write(system, 'call Ann');
  await write(system, 'call Bob');
  expect(turnsOf(system.file)).toMatchObject([
    { kind: 'note', previous: 0, answer: null, steps: [{ machine: 'note', revision: 1, value: 'open' }] },
    { kind: 'note', previous: 1, answer: null, events: [{ type: 'note.updated', seq: 2, data: { s: 'open' } }] },
  ]);
  expect(told(system).map(({ seq, payload }) => ({ seq, payload }))).toEqual([
    { seq: 1, payload: { id: note, state: 'open', text: 'call Ann' } },
    { seq: 2, payload: { id: note, state: 'open', text: 'call Bob' } },
  ]);
});

test('its repeated commands are recognised or remembered', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const written = envelope(system, 'note.write', { channelId: testChannel, id: uuid(), text: 'call Ann' });
  expect(await request(system, written)).toEqual({ ok: true, result: { number: 1 } });
  system.clock.advance(2 * hour);
  expect(await request(system, written)).toEqual({ ok: true, result: { number: 1 } });
  const closed = envelope(system, 'note.close', null);
  expect(await request(system, closed)).toEqual({ ok: true, result: null });
  expect(await request(system, closed)).toEqual({ ok: true, result: null, replayed: true });
  expect(turnsOf(system.file).filter(({ kind }) => kind === 'note')).toHaveLength(2);
});

test('its timer fires after its time, once', async () => {
  await using system = new ActorSystem();
  await write(system, 'call Ann');
  await system.restart();
  await elapse(system, openFor - 1, openFor);
  expect(found(system)).toMatchObject({ state: 'open' });
  await elapse(system, 1, 1);
  expect(found(system)).toMatchObject({ state: 'closed' });
  await elapse(system, openFor, openFor);
  expect(told(system)).toHaveLength(2);
  expect(problems(system)).toEqual([]);
});

test('what it tells another kind reaches it', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  await write(system, 'Line of Ann');
  const client = { send: () => Promise.reject(new Error('Nobody is called.')), close: async () => {} };
  const services = system.services({ config: testConfig(), awaited: client });
  const dispatch = startDispatch(services, { sources: client, webhooks: client, metrics: new Metrics() });
  await ask(system, 'note.close', null);
  await vi.waitFor(() => expect(services.store.outbox.count()).toBe(0));
  expect(services.store.channels.find(testChannel)?.metadata.name).toBe('Line of Ann');
  await dispatch.stop();
  services.close();
  expect(turnsOf(system.file).map(({ type }) => type)).toContain('effect.done');
  expect(problems(system)).toEqual([]);
});

test('its lines are pruned by itself, its turns with the others', async () => {
  await using system = new ActorSystem({ retention: { journal: 4 * hour, notes: hour } });
  await write(system, 'old');
  await elapse(system, 2 * hour, hour / 32);
  await write(system, 'new');
  expect(found(system)).toEqual({ state: 'open', lines: ['new'] });
  expect(told(system).map(({ payload }) => payload.text)).toEqual([null, 'new']);
  await elapse(system, 3 * hour, hour / 32);
  expect(told(system).map(({ seq, payload }) => [seq, payload.text])).toEqual([[2, null]]);
  expect(await write(system, 'newest')).toEqual({ ok: true, result: { number: 3 } });
  expect(problems(system)).toEqual([]);
});

test('a standby that applies its records holds the same', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ log });
  await write(system, 'call Ann');
  await ask(system, 'note.close', null);
  const file = join(system.folder, 'standby.db');
  const standby = openHostStore({ file, durability: 'normal', shards: 1, tables: kindTables });
  for (const record of log.records) applyRecord(standby, record);
  standby.close();
  expect(verifyFile(file, kinds).problems).toEqual([]);
  expect(turnsOf(file)).toEqual(turnsOf(system.file));
});

test('verify notices a line without its note', async () => {
  await using system = new ActorSystem();
  await write(system, 'call Ann');
  await system.stop();
  const store = openHostStore({ file: system.file, durability: 'normal', shards: 1, tables: kindTables });
  store.prepare((db) => db.exec('UPDATE note_line SET note = 99'));
  store.close();
  expect(problems(system)).toEqual([
    'line 2: its note is not there',
    'note_line 2: it is not as its last turn left it',
  ]);
});
