import { expect, test } from 'vitest';
import { conversationKind } from '#actors/conversation/kind.ts';
import type { DeadLetterJson } from '#actors/dead-letter/reader.ts';
import { Failure } from '#actors/errors.ts';
import { runtimeCommands } from '#actors/runtime/runtime-commands.ts';
import type { Page } from '#actors/store/page.ts';
import {
  ActorSystem,
  type ActorSystemOptions,
  connectTestChannel,
  conversationOf,
  ingestOf,
} from '../_support/actor-system.ts';
import { itemsOf } from '../_support/pages.ts';
import {
  elapse,
  envelopeFor,
  eventsOf,
  expectSound,
  RecordingLog,
  request,
  rowsOf,
  sendText,
  uuid,
  withHandlers,
} from './support.ts';

const ann = conversationOf('ann');

/** A system whose conversations have a command that throws while `broken.now`, after it has stepped, saved and emitted. */
async function brokenSystem(options: ActorSystemOptions = {}) {
  const log = new RecordingLog();
  const broken = { now: true };
  const kinds = withHandlers({
    'test.count'(runtime) {
      runtime.step({ type: 'read' });
      runtime.save({ unread_count: 0 });
      runtime.emit('conversation.updated', { counted: true });
      if (broken.now) throw new TypeError('a defect');
      return { counted: true };
    },
    'test.misfit'(runtime) {
      if (broken.now) {
        const message = rowsOf(system.file).message[0]!;
        runtime.change({ table: 'conversation', op: 'delete', key: runtime.actor.key });
        runtime.change({ table: 'message', op: 'insert', row: { ...message, id: uuid() } as never });
      }
      return null;
    },
  });
  const system = new ActorSystem({ kinds, log, ...options });
  await connectTestChannel(system.commands());
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  return { system, broken, log };
}

/** Handles the dead letter of a command of Ann's again. @returns the answer */
const redriven = (system: ActorSystem, commandId: string) =>
  request(system, envelopeFor(system, 'conversation', ann, runtimeCommands.redrive, { commandId }));

test('a command that throws becomes a dead letter', async () => {
  const { system, ...all } = await brokenSystem();
  await using _ = system;
  const poison = envelopeFor(system, 'conversation', ann, 'test.count', { a: 1 });
  const good = envelopeFor(system, 'conversation', ann, 'conversation.set-state', { state: 'OPEN' });
  const before = rowsOf(system.file);
  const events = eventsOf(system);
  const [first, second, third] = await Promise.all([poison, good, poison].map((one) => request(system, one)));
  // One record: the good one's turn, and one letter, with its row in the journal, for both tries.
  expect(all.log.sizes().at(-1)).toBe(2);
  const { changes } = all.log.records.at(-1)!;
  expect(changes.filter(({ table }) => table === 'dead_letter')).toMatchObject([{ op: 'insert' }]);
  expect(first).toMatchObject({ ok: false, failure: { code: 'internal' } });
  expect(second).toEqual({ ok: true, result: null });
  expect(third).toEqual({ ...first, replayed: true });
  const [letter] = rowsOf(system.file).dead_letter;
  expect(letter?.error).toMatch(/^TypeError: a defect\n {4}at /);
  expect(letter?.actor_revision).toBe(before.conversation[0]?.revision);
  expect(eventsOf(system)).toHaveLength(events.length + 2);
  expectSound(system);
});

test('a dead letter is redriven once the defect is gone', async () => {
  const { system, broken } = await brokenSystem();
  await using _ = system;
  const poison = envelopeFor(system, 'conversation', ann, 'test.count', null);
  await request(system, poison);
  const redrive = () => redriven(system, poison.commandId);
  expect(await redrive()).toMatchObject({ ok: false, failure: { code: 'internal' } });
  expect(rowsOf(system.file).dead_letter).toMatchObject([{ redriven_at: null }]);
  broken.now = false;
  system.clock.advance(5_000);
  expect(await redrive()).toEqual({ ok: true, result: { counted: true } });
  expect(rowsOf(system.file).dead_letter).toMatchObject([{ redriven_at: system.clock.now() }]);
  const events = eventsOf(system);
  expect(await redrive()).toEqual({ ok: true, result: null });
  expect(eventsOf(system)).toEqual(events);
  expectSound(system);
});

test('the answer of a letter outlives the journal', async () => {
  const hour = 60 * 60 * 1000;
  const { system } = await brokenSystem({ retention: { journal: hour } });
  await using _ = system;
  const poison = envelopeFor(system, 'conversation', ann, 'test.count', null);
  const first = await request(system, poison);
  const letters = rowsOf(system.file).dead_letter;
  await elapse(system, 2 * hour, hour / 16);
  expect(rowsOf(system.file).journal).toEqual([]);
  const now = system.clock.now();
  expect(await request(system, { ...poison, now, deadline: now + 1_000 })).toEqual({ ...first, replayed: true });
  expect(rowsOf(system.file).dead_letter).toEqual(letters);
});

test('a command that fails again keeps one letter', async () => {
  const broken = { now: true };
  const kinds = withHandlers({
    'messages.ingest'(runtime, body) {
      if (broken.now) throw new Error(`a defect at ${runtime.now}`);
      return conversationKind.handlers['messages.ingest'](runtime, body);
    },
  });
  await using system = new ActorSystem({ kinds });
  await connectTestChannel(system.commands());
  const ingest = envelopeFor(system, 'conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  expect(await request(system, ingest)).toMatchObject({ ok: false, failure: { code: 'internal' } });
  system.clock.advance(1_000);
  const now = system.clock.now();
  expect(await request(system, { ...ingest, now })).toMatchObject({ ok: false, failure: { code: 'internal' } });
  expect(rowsOf(system.file).dead_letter).toMatchObject([{ at: now, redriven_at: null }]);
  expect(rowsOf(system.file).dead_letter[0]?.error).toContain(`a defect at ${now}`);
  // Its repetition is recognised by what it made: nothing yet.
  broken.now = false;
  expect(await request(system, ingest)).toMatchObject({ ok: true, result: { messages: [{ duplicate: false }] } });
});

test('redriving an unknown letter is refused', async () => {
  const { system } = await brokenSystem();
  await using _ = system;
  expect(await redriven(system, uuid())).toMatchObject({ ok: false, failure: { code: 'not_found' } });
});

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

test('an unknown command becomes a dead letter', async () => {
  const { system } = await brokenSystem();
  await using _ = system;
  const reply = await request(system, envelopeFor(system, 'conversation', ann, 'constructor', null));
  expect(reply).toMatchObject({ ok: false, failure: { code: 'internal' } });
  expect(rowsOf(system.file).dead_letter[0]?.error).toContain('has no command constructor');
});

test('an actor that can not be activated blocks no other', async () => {
  const broken = { now: true };
  const kinds = withHandlers(
    {},
    {
      load(reads, row) {
        if (broken.now && row.key === annKey) throw new Error('unreadable');
        return conversationKind.load(reads as never, row as never);
      },
    },
  );
  let annKey = 0;
  await using system = new ActorSystem({ kinds });
  const commands = system.commands();
  await connectTestChannel(commands);
  await commands.send('conversation', ann, 'messages.ingest', ingestOf('ann', ['hi']));
  annKey = rowsOf(system.file).conversation[0]?.key as number;
  await system.restart();
  const poison = envelopeFor(system, 'conversation', ann, 'conversation.mark-read', null);
  const [spoiled, fine] = await Promise.all([
    request(system, poison),
    commands.send('conversation', conversationOf('bob'), 'messages.ingest', ingestOf('bob', ['hi'])),
  ]);
  expect(spoiled).toMatchObject({ ok: false, failure: { code: 'internal' } });
  expect(fine.messages).toHaveLength(1);
  broken.now = false;
  await redriven(system, poison.commandId);
  expect(rowsOf(system.file).conversation[0]?.unread_count).toBe(0);
});

test.each([
  ['a defect', () => new Error('broken')],
  ['a refusal', () => new Failure('not_found', 'gone')],
])('a timer that meets %s fires no second time', async (_title, thrown) => {
  const broken = { now: true };
  const kinds = withHandlers(
    {},
    {
      onTimer(runtime, subject, event) {
        if (broken.now) throw thrown();
        conversationKind.onTimer!(runtime as never, subject, event);
      },
    },
  );
  await using system = new ActorSystem({ kinds });
  const commands = system.commands();
  const sent = await sendText(commands, 'ann', 'hello?');
  system.clock.advance(31_000);
  await system.settle();
  const reader = system.reader();
  const [letter, ...others] = itemsOf(reader.deadLetters.page({ limit: 10, from: null }));
  reader.close();
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ type: runtimeCommands.timerFired, redriven_at: null });
  expect(rowsOf(system.file).timer).toEqual([]);
  expectSound(system);
  broken.now = false;
  await redriven(system, letter!.command_id);
  expect(rowsOf(system.file).parked_send).toEqual([]);
  expect(eventsOf(system).map(({ payload }) => payload['identifier'])).toContain(sent);
});

test('dead letters are read newest first, by whether redriven', async () => {
  const { system, broken } = await brokenSystem();
  await using _ = system;
  const letters = [];
  for (let n = 0; n < 5; n++) {
    const poison = envelopeFor(system, 'conversation', ann, 'test.count', { n });
    await request(system, poison);
    letters.unshift(poison.commandId);
    system.clock.advance(n % 2);
  }
  broken.now = false;
  await redriven(system, letters[1]!);
  const reader = system.reader();
  const { deadLetters } = reader;
  const idsOf = (page: Page<DeadLetterJson>) => itemsOf(page).map((item) => item.command_id);
  const first = deadLetters.page({ limit: 2, from: null });
  expect(idsOf(first)).toEqual(letters.slice(0, 2));
  expect(first).toMatchObject({ total: 5, before: null });
  const second = deadLetters.page({ limit: 2, from: { key: first.after!, direction: 'after' } });
  expect(idsOf(second)).toEqual(letters.slice(2, 4));
  expect(idsOf(deadLetters.page({ limit: 2, from: { key: second.before!, direction: 'before' } }))).toEqual(
    letters.slice(0, 2),
  );
  const done = deadLetters.page({ limit: 9, from: null }, { redriven: true });
  expect(idsOf(done)).toEqual([letters[1]]);
  expect(deadLetters.page({ limit: 9, from: null }, { redriven: false }).total).toBe(4);
  expect(deadLetters.find(letters[0]!)).toMatchObject({
    command_id: letters[0],
    actor: { kind: 'conversation', id: ann },
    type: 'test.count',
    body: { n: 4 },
    redriven_at: null,
  });
  expect(deadLetters.find(uuid())).toBeNull();
  reader.close();
});
