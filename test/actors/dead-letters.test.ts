import { expect, test } from 'vitest';
import { conversationKind } from '#actors/conversation/kind.ts';
import type { DeadLetterJson } from '#actors/dead-letter/reader.ts';
import { Failure } from '#actors/errors.ts';
import { runtimeCommands } from '#actors/runtime/runtime-commands.ts';
import type { Page } from '#actors/store/page.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { itemsOf } from '../_support/pages.ts';
import { ann, brokenSystem, redriven } from './broken-system.ts';
import {
  elapse,
  envelopeFor,
  eventsOf,
  expectSound,
  request,
  rowsOf,
  sendText,
  uuid,
  withHandlers,
} from './support.ts';

const hour = 60 * 60 * 1000;

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
  expect(third).toEqual(first);
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

test('a letter that was redriven goes with its time, others stay', async () => {
  const { system, broken } = await brokenSystem({ retention: { journal: hour } });
  await using _ = system;
  const [mended, waiting] = [1, 2].map((n) => envelopeFor(system, 'conversation', ann, 'test.count', { n }));
  for (const one of [mended!, waiting!]) await request(system, one);
  await elapse(system, hour / 2, hour / 32);
  broken.now = false;
  await system.commands().redrive({ kind: 'conversation', id: ann }, mended!.commandId);
  const kept = () => rowsOf(system.file).dead_letter.map(({ redriven_at }) => redriven_at !== null);
  expect(kept()).toEqual([true, false]);
  await elapse(system, hour / 4, hour / 32);
  expect(kept()).toEqual([true, false]);
  await elapse(system, hour / 2, hour / 32);
  expect(kept()).toEqual([false]);
  expectSound(system);
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
