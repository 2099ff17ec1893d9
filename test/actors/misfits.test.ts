import { expect, test } from 'vitest';
import { ActorSystem, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { ann, brokenSystem } from './broken-system.ts';
import { envelopeFor, expectSound, RecordingLog, request, rowsOf, withHandlers } from './support.ts';

test('changes that do not fit spoil no other command', async () => {
  const { system, log } = await brokenSystem();
  await using _ = system;
  const bob = conversationOf('bob');
  const replies = await Promise.all([
    request(system, envelopeFor(system, 'conversation', bob, 'messages.ingest', ingestOf('bob', ['one']))),
    request(system, envelopeFor(system, 'conversation', ann, 'test.misfit', null)),
    request(system, envelopeFor(system, 'conversation', ann, 'messages.ingest', ingestOf('ann', ['two'], 'more'))),
  ]);
  expect(replies.map((reply) => reply.ok)).toEqual([true, false, true]);
  expect(log.records.map(({ lsn }) => lsn)).toEqual(log.records.map((_record, i) => i + 1));
  expect(log.sizes().at(-1)).toBe(3);
  const rows = rowsOf(system.file);
  expect(rows.message).toHaveLength(3);
  expect(rows.conversation).toHaveLength(2);
  expect(rows.dead_letter).toMatchObject([{ actor_kind: 'conversation', redriven_at: null }]);
  expect(rows.dead_letter[0]?.error).toContain('UNIQUE constraint failed');
  expectSound(system);
});

test('a misfit in one shard leaves no second record in another', async () => {
  const log = new RecordingLog();
  const kinds = withHandlers({
    'test.misfit'(runtime) {
      runtime.change({
        table: 'timer',
        op: 'insert',
        row: { key: 'x', due: 1, kind: 'conversation', actor: 1, subject: 1, name: 'x' } as never,
      });
    },
  });
  await using system = new ActorSystem({ shards: 4, kinds, log });
  const contacts = Array.from({ length: 16 }, (_, n) => `c${n}`);
  await Promise.all(
    contacts.map((contact, n) =>
      request(
        system,
        n === 15
          ? envelopeFor(system, 'conversation', conversationOf(contact), 'test.misfit', null)
          : envelopeFor(system, 'conversation', conversationOf(contact), 'messages.ingest', ingestOf(contact, ['hi'])),
      ),
    ),
  );
  const seen = log.records.map(({ shard, lsn }) => `${shard} ${lsn}`);
  expect(new Set(seen).size).toBe(seen.length);
  expect(rowsOf(system.file).dead_letter).toHaveLength(1);
});

test('a defect before a handler spoils no other command', async () => {
  const { system } = await brokenSystem();
  await using _ = system;
  const late = { deadline: system.clock.now() - 1 };
  const defect = envelopeFor(system, 'conversation', ann, 'messages.ingest', null, late);
  const good = envelopeFor(system, 'conversation', conversationOf('bob'), 'messages.ingest', ingestOf('bob', ['hi']));
  const replies = await Promise.all([request(system, defect), request(system, good)]);
  expect(replies).toMatchObject([{ failure: { code: 'internal' } }, { ok: true }]);
  expect(rowsOf(system.file).dead_letter).toHaveLength(1);
  expect(system.problem).toBeNull();
  expectSound(system);
});

test('a command whose letter does not fit is refused and logged', async () => {
  const lines: object[] = [];
  const { system } = await brokenSystem({
    logger: { info() {}, warn() {}, error: (fields, event) => lines.push({ event, ...fields }) },
    wrapStore(store) {
      const apply = store.transactions.apply.bind(store.transactions);
      store.transactions.apply = (change) => {
        if (change.table === 'dead_letter') throw new RangeError('too large a letter');
        apply(change);
      };
      return store;
    },
  });
  await using _ = system;
  const defect = envelopeFor(system, 'conversation', ann, 'test.count', null);
  const good = envelopeFor(system, 'conversation', conversationOf('bob'), 'messages.ingest', ingestOf('bob', ['hi']));
  const replies = await Promise.all([request(system, defect), request(system, good)]);
  expect(replies).toMatchObject([{ failure: { code: 'internal' } }, { ok: true }]);
  expect(lines).toEqual([{ event: 'command.dropped', commandId: defect.commandId, reason: 'too large a letter' }]);
  expect(system.problem).toBeNull();
  expectSound(system);
});
