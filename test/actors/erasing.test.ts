import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { verifyFile } from '#actors/journal/verify.ts';
import { kindTables } from '#actors/kinds.ts';
import { applyRecord } from '#actors/log/apply.ts';
import { messages } from '#actors/conversation/tables.ts';
import type { JsonObject } from '#actors/representation.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import {
  elapse,
  envelopeFor,
  eventsOf,
  expectSound,
  RecordingLog,
  request,
  rowsOf,
  turnsOf,
  uuid,
  withHandlers,
} from './support.ts';

const ann = conversationOf('ann');
const secret = 'what nobody may read';

/** Takes metadata and names out of what events of a conversation keep; answers with the key to go on with. */
const kinds = withHandlers({
  'test.erase': (runtime, { from }: { from?: number }) =>
    runtime.eraseTurns(
      {
        event({ data }) {
          const { md: _, n: __, ...rest } = data as JsonObject;
          return rest;
        },
        forgets: () => false,
      },
      from,
    ),
});

const erase = async (system: ActorSystem, from?: number): Promise<number | null> => {
  const reply = await request(system, envelopeFor(system, 'conversation', ann, 'test.erase', { from }));
  if (!reply.ok) throw new Error(reply.failure.message);
  return reply.result as number | null;
};

/** A conversation of some messages with metadata that holds the secret. */
async function started(system: ActorSystem, changes = 1): Promise<void> {
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['1', '2']));
  for (let n = 0; n < changes; n++) {
    const metadata = [{ note: `${secret} ${n}` }];
    await commands.send('conversation', ann, 'metadata.merge', { about: [{ messageId: null, metadata }] });
  }
  await commands.send('conversation', ann, 'conversation.update-contact', { displayName: secret });
}

const journalText = (system: ActorSystem): string => JSON.stringify(turnsOf(system.file));

test('what turns told is gone, their events stay in their order', async () => {
  await using system = new ActorSystem({ kinds });
  await started(system);
  const before = eventsOf(system);
  expect(journalText(system)).toContain(secret);
  expect(await erase(system)).toBe(0);
  expect(await erase(system, 0)).toBeNull();
  expect(journalText(system)).not.toContain(secret);
  const after = eventsOf(system);
  expect(after.map(({ type, seq }) => [type, seq])).toEqual(before.map(({ type, seq }) => [type, seq]));
  expect(JSON.stringify(after)).not.toContain(secret);
  expectSound(system);
});

test('a command whose answer was erased is not done again', async () => {
  await using system = new ActorSystem({ kinds });
  await started(system);
  const message = { messageId: uuid(), content: { text: secret }, sender: { id: 'agent' } };
  const sending = envelopeFor(system, 'conversation', ann, 'message.send', message);
  expect(await request(system, sending)).toMatchObject({ ok: true });
  await erase(system);
  const turns = turnsOf(system.file).length;
  expect(await request(system, sending)).toMatchObject({ ok: false, failure: { code: 'not_found' } });
  expect(turnsOf(system.file)).toHaveLength(turns);
});

test('an answer that tells nothing is given again', async () => {
  await using system = new ActorSystem({ kinds });
  await started(system);
  const renaming = envelopeFor(system, 'conversation', ann, 'conversation.update-contact', { displayName: 'Bo' });
  expect(await request(system, renaming)).toEqual({ ok: true, result: null });
  await erase(system);
  const turns = turnsOf(system.file).length;
  expect(await request(system, renaming)).toEqual({ ok: true, result: null, replayed: true });
  expect(turnsOf(system.file)).toHaveLength(turns);
});

test('a long history is erased in parts', async () => {
  await using system = new ActorSystem({ kinds });
  await started(system, 600);
  let parts = 0;
  for (let from: number | null | undefined; from !== null; parts++) from = await erase(system, from);
  expect(parts).toBe(4);
  expect(journalText(system)).not.toContain(secret);
  expectSound(system);
});

test('erasing twice, and what was pruned since, is sound', async () => {
  await using system = new ActorSystem({ kinds, retention: { journal: 20_000 } });
  await started(system);
  await erase(system);
  await started(system);
  await erase(system);
  expectSound(system);
  await elapse(system, 60_000, 10_000);
  expect(turnsOf(system.file).map(({ type }) => type)).not.toContain('metadata.merge');
  expectSound(system);
});

test('a standby has erased what its owner has', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ kinds, log });
  await started(system);
  await erase(system);
  const standby = join(system.folder, 'standby.db');
  const store = openHostStore({ file: standby, durability: 'normal', shards: system.shards, tables: kindTables });
  for (const record of log.records) applyRecord(store, record);
  store.close();
  expect(rowsOf(standby).journal).toEqual(rowsOf(system.file).journal);
});

test.each([
  ['what was erased is back', `events = (SELECT events FROM told.journal o WHERE o.key = journal.key)`],
  ['other events stand there', `events = replace(events, 'metadata.updated', 'conversation.updated')`],
  ['an answer is another', `answer = 'other'`],
  ['another is said to have asked', `cause = 'other'`],
])('a file in which %s is found', async (_, change) => {
  await using system = new ActorSystem({ kinds });
  await started(system);
  const told = join(system.folder, 'told.db');
  new Database(system.file).exec(`VACUUM INTO '${told}'`);
  await erase(system);
  const damaged = join(system.folder, 'damaged.db');
  new Database(system.file).exec(`VACUUM INTO '${join(system.folder, 'whole.db')}'`);
  copyFileSync(join(system.folder, 'whole.db'), damaged);
  const db = new Database(damaged);
  db.exec(`ATTACH '${told}' AS told`);
  const of = `key = (SELECT min(key) FROM told.journal WHERE type = 'metadata.merge')`;
  expect(db.prepare(`UPDATE main.journal SET ${change} WHERE ${of}`).run().changes).toBe(1);
  db.close();
  expect(verifyFile(join(system.folder, 'whole.db'), kinds).problems).toEqual([]);
  expect(verifyFile(damaged, kinds).problems.join()).toMatch(/journal \d+: it is not as journal \d+ left it/);
});

test('a reader that has shown it shows it no longer', async () => {
  const erasing = withHandlers({
    'test.erase'(runtime) {
      const row = runtime.reads.messageByKey(runtime.row.last_message!)!;
      runtime.change(messages.update(row.key, { content: '{}' }));
      runtime.eraseTurns({ event: ({ data }) => data, forgets: () => false });
    },
  });
  await using system = new ActorSystem({ kinds: erasing });
  await connectTestChannel(system.commands());
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', [secret]));
  const reader = system.reader();
  const shown = () =>
    JSON.stringify(reader.feed.read({ after: [], limit: 100 }).entries.map(({ event }) => event.payload));
  expect(shown()).toContain(secret);
  await erase(system);
  reader.forgetErased();
  expect(shown()).not.toContain(secret);
  reader.close();
  expectSound(system);
});
