import { describe, expect, test } from 'vitest';
import type { Envelope } from '#actors/runtime/envelope.ts';
import { defaultMailboxLimits, Mailbox, type Queued } from '#actors/runtime/mailbox.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { envelopeFor, expectSound, RecordingLog, request, rowsOf, uuid } from './support.ts';

const queued = (id: string, type: string, size = 1, caller = 'ann'): Queued => ({
  envelope: { commandId: uuid(), actor: { kind: 'conversation', id }, type, caller } as Envelope,
  size,
  respond() {},
});

const take = (mailbox: Mailbox, commands: number, bytes = 1_000): string[] =>
  mailbox.take(commands, bytes, 0).map(({ envelope }) => `${envelope.actor.id}${envelope.type}`);

const isTaken = (mailbox: Mailbox, command: Queued): boolean => mailbox.offer(command, 0).length === 0;

function filled(...names: string[]): Mailbox {
  const mailbox = new Mailbox();
  for (const name of names) mailbox.offer(queued(name[0]!, name.slice(1)), 0);
  return mailbox;
}

test('taking goes round the actors, in order within each', () => {
  expect(take(filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2'), 10)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('the next take goes on where the last one ended', () => {
  const mailbox = filled('a1', 'a2', 'b1', 'b2', 'c1');
  expect([take(mailbox, 2), take(mailbox, 2), take(mailbox, 2)]).toEqual([['a1', 'b1'], ['c1', 'a2'], ['b2']]);
  expect(mailbox.length).toBe(0);
});

test('a take ends before its bytes are passed', () => {
  const mailbox = new Mailbox();
  for (const [id, size] of [
    ['a', 60],
    ['b', 40],
    ['c', 1],
  ] as const)
    mailbox.offer(queued(id, '', size), 0);
  expect([take(mailbox, 9, 99), take(mailbox, 9, 99)]).toEqual([['a'], ['b', 'c']]);
});

test('a command larger than a batch is taken alone', () => {
  const mailbox = new Mailbox();
  mailbox.offer(queued('a', '', 500), 0);
  mailbox.offer(queued('b', '', 1), 0);
  expect([take(mailbox, 9, 100), take(mailbox, 9, 100)]).toEqual([['a'], ['b']]);
});

test.each([
  ['commands', { ...defaultMailboxLimits, commands: 3 }, [1, 1, 1, 1], [true, true, true, false]],
  ['bytes', { ...defaultMailboxLimits, bytes: 10 }, [4, 4, 4, 2], [true, true, false, true]],
] as const)('a full shard refuses by %s', (_bound, limits, sizes, expected) => {
  const mailbox = new Mailbox(limits);
  expect(sizes.map((size, n) => isTaken(mailbox, queued(`a${n}`, '', size)))).toEqual(expected);
  expect(take(mailbox, 9)).toHaveLength(3);
  expect(isTaken(mailbox, queued('a', '', 10))).toBe(true);
});

test('a command that is asked for again takes no second place', () => {
  const mailbox = new Mailbox({ ...defaultMailboxLimits, commandsPerActor: 1 });
  const answered: string[] = [];
  const first = { ...queued('a', '1'), respond: () => void answered.push('first') };
  const again = { ...first, respond: () => void answered.push('again') };
  expect([isTaken(mailbox, first), isTaken(mailbox, again), mailbox.length]).toEqual([true, true, 1]);
  const [taken] = mailbox.take(9, 1_000, 0);
  taken!.respond({ ok: true, result: null });
  expect(answered).toEqual(['first', 'again']);
  expect(isTaken(mailbox, again)).toBe(true);
  expect(take(mailbox, 9)).toEqual(['a1']);
});

test('a full actor refuses, others do not', () => {
  const mailbox = new Mailbox({ ...defaultMailboxLimits, commandsPerActor: 2 });
  expect(['a1', 'a2', 'a3', 'b1'].map((name) => isTaken(mailbox, queued(name[0]!, name)))).toEqual([
    true,
    true,
    false,
    true,
  ]);
  take(mailbox, 1);
  expect(isTaken(mailbox, queued('a', '4'))).toBe(true);
});

describe('between callers', () => {
  /** Commands `<caller><n>`, each for an actor of its own. */
  const offer = (mailbox: Mailbox, caller: string, count: number, from = 0): Queued[] =>
    Array.from({ length: count }, (_, n) => queued(`${caller}${from + n}`, '', 1, caller)).flatMap((command) =>
      mailbox.offer(command, 0),
    );
  const callersOf = (commands: Queued[]): string => commands.map(({ envelope }) => envelope.caller).join('');

  test('taking goes round, whoever wants most', () => {
    const mailbox = new Mailbox();
    offer(mailbox, 'a', 4);
    offer(mailbox, 'b', 2);
    offer(mailbox, 'c', 1);
    expect(callersOf(mailbox.take(9, 1_000, 0))).toBe('abcabaa');
  });

  test('a batch has a share of one of several, and all of one', () => {
    const mailbox = new Mailbox();
    offer(mailbox, 'a', 200);
    expect(mailbox.take(100, 1_000, 0)).toHaveLength(100);
    offer(mailbox, 'b', 1);
    expect(callersOf(mailbox.take(100, 1_000, 0))).toBe(`ab${'a'.repeat(31)}`);
    expect(mailbox.take(100, 1_000, 1_001)).toHaveLength(68);
  });

  test('who wrote much comes after those who wrote little', () => {
    const mailbox = new Mailbox();
    offer(mailbox, 'a', 3);
    offer(mailbox, 'b', 3);
    const [first] = mailbox.take(1, 1_000, 0);
    mailbox.charge(first!, 1_000_000);
    expect(callersOf([first!, ...mailbox.take(9, 1_000, 0)])).toBe('abbbaa');
  });

  test('who wrote much waits for nobody who wants nothing', () => {
    const mailbox = new Mailbox();
    offer(mailbox, 'a', 2);
    mailbox.charge(mailbox.take(1, 1_000, 0)[0]!, 1_000_000);
    expect(callersOf(mailbox.take(9, 1_000, 0))).toBe('a');
    offer(mailbox, 'a', 1, 9);
    offer(mailbox, 'b', 1);
    expect(callersOf(mailbox.take(9, 1_000, 0))).toBe('ab');
  });

  test('when it is full the one with the most gives way', () => {
    const mailbox = new Mailbox({ ...defaultMailboxLimits, commands: 10 });
    expect(offer(mailbox, 'a', 9)).toEqual([]);
    expect(callersOf(offer(mailbox, 'b', 4))).toBe('aaa');
    expect(offer(mailbox, 'a', 1, 9).map(({ envelope }) => envelope.actor.id)).toEqual(['a9']);
    expect(callersOf(mailbox.take(20, 1_000, 0))).toBe('ababababaa');
  });

  test('what is put back keeps its place before what is newer', () => {
    const mailbox = filled('a1', 'a2', 'a3');
    const taken = mailbox.take(2, 1_000, 0);
    mailbox.offer(queued('a', '4'), 0);
    mailbox.putBack(taken);
    expect([take(mailbox, 9), mailbox.length]).toEqual([['a1', 'a2', 'a3', 'a4'], 0]);
  });
});

const ingest = (system: ActorSystem, contact: string, text: string, more: Partial<Envelope> = {}) =>
  envelopeFor(
    system,
    'conversation',
    conversationOf(contact),
    'messages.ingest',
    ingestOf(contact, [text], `${contact}-${text.slice(0, 20)}`),
    more,
  );

test('an overfull mailbox answers overloaded and loses nothing', async () => {
  await using system = new ActorSystem({ limits: { ...defaultMailboxLimits, commandsPerActor: 10 } });
  await connectTestChannel(system.commands());
  const sent = Array.from({ length: 15 }, (_, n) => ingest(system, 'ann', `t${n}`));
  const replies = await Promise.all(sent.map((one) => request(system, one)));
  expect(replies.map((reply) => reply.ok)).toEqual([...Array(10).fill(true), ...Array(5).fill(false)]);
  expect(replies[12]).toMatchObject({ failure: { code: 'overloaded', retryAfter: 1 } });
  expect(rowsOf(system.file).message).toHaveLength(10);
  for (const one of sent) expect(await request(system, one)).toMatchObject({ ok: true });
  expect(rowsOf(system.file).message).toHaveLength(15);
  expectSound(system);
});

test('an expired command is dropped and may come again', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const now = system.clock.now();
  const late = ingest(system, 'ann', 'late', { deadline: now - 1 });
  const [expired, fine] = await Promise.all([
    request(system, late),
    request(system, ingest(system, 'ann', 'last', { deadline: now })),
  ]);
  expect(expired).toMatchObject({ ok: false, failure: { code: 'deadline_exceeded', retryAfter: 1 } });
  expect(fine).toMatchObject({ ok: true });
  expect(rowsOf(system.file).message).toHaveLength(1);
  expect(await request(system, { ...late, deadline: now })).toMatchObject({ ok: true });
  expect(rowsOf(system.file).message).toHaveLength(2);
});

test('a hot conversation delays no other', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ log, limits: { ...defaultMailboxLimits, commandsPerActor: 1_000 } });
  await connectTestChannel(system.commands());
  const hot = Array.from({ length: 400 }, (_, n) => ingest(system, 'hot', `t${n}`));
  await Promise.all([...hot, ingest(system, 'cold', 'hello')].map((one) => request(system, one)));
  const first = log.records[1]?.changes.filter(({ table, op }) => table === 'conversation' && op === 'insert');
  expect(first).toHaveLength(2);
});

test('a batch has at most 256 commands', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ log });
  await connectTestChannel(system.commands());
  const all = Array.from({ length: 600 }, (_, n) => ingest(system, `c${n % 7}`, `t${n}`));
  await Promise.all(all.map((one) => request(system, one)));
  expect(log.sizes().slice(1)).toEqual([256, 256, 88]);
  expect(rowsOf(system.file).message).toHaveLength(600);
});

test('a clock that is set back holds nobody to a share', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ log });
  await connectTestChannel(system.commands());
  for (const caller of ['ann', 'bob']) await request(system, ingest(system, caller, 'hi', { caller }));
  system.clock.set(-3_600_000);
  system.clock.advance(2_000);
  const before = log.records.length;
  const all = Array.from({ length: 100 }, (_, n) => ingest(system, `c${n % 7}`, `t${n}`, { caller: 'bob' }));
  await Promise.all(all.map((one) => request(system, one)));
  expect(log.sizes().slice(before)).toEqual([100]);
});

test('a batch is shared out to the shards that have work', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ log, shards: 4, limits: { ...defaultMailboxLimits, commandsPerActor: 500 } });
  await connectTestChannel(system.commands());
  const before = log.records.length;
  const all = Array.from({ length: 300 }, (_, n) => ingest(system, 'ann', `t${n}`));
  await Promise.all(all.map((one) => request(system, one)));
  expect(log.sizes().slice(before)).toEqual([256, 44]);
});

test('a batch has at most 512 KB of commands', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ log });
  await connectTestChannel(system.commands());
  const all = ['a', 'b', 'c', 'd', 'e'].map((contact) => ingest(system, contact, contact + 'x'.repeat(200_000)));
  await Promise.all(all.map((one) => request(system, one)));
  expect(log.sizes().slice(1)).toEqual([2, 2, 1]);
});

test('a batch ends when its commands wrote 512 KB', async () => {
  const log = new RecordingLog();
  await using system = new ActorSystem({ log });
  await connectTestChannel(system.commands());
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((contact) => request(system, ingest(system, contact, 'hi'))));
  const fill = (n: number) => ({ about: [{ messageId: null, metadata: [{ large: 'x'.repeat(60_000), n }] }] });
  const merge = (contact: string, n: number) =>
    request(system, envelopeFor(system, 'conversation', conversationOf(contact), 'metadata.merge', fill(n)));
  const before = log.records.length;
  const replies = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((contact, n) => merge(contact, n)));
  // Each command writes the metadata three times: the row, and two events.
  expect(log.sizes().slice(before)).toEqual([3, 2]);
  expect(replies.every(({ ok }) => ok)).toBe(true);
  expectSound(system);
});

test('with tiny memory the results are the same', async () => {
  const dumps = [];
  for (const actors of [1, 20_000]) {
    const activations = { actors, bytes: 1e9 };
    await using system = new ActorSystem({ activations });
    let n = 0;
    const same = () => ({ commandId: `00000000-0000-7000-8000-${String(n++).padStart(12, '0')}` });
    const { actor, body } = envelopeFor(system, 'channel', ingestOf('a', []).origin.channelId, '', {
      source: 'acme',
      sourceChannelId: 'line-1',
      name: 'Line 1',
    });
    await request(system, envelopeFor(system, 'channel', actor.id, 'channel.connect', body, same()));
    for (let round = 0; round < 5; round++) {
      const batch = ['ann', 'bob', 'cid', 'dan'].flatMap((contact) => [
        ingest(system, contact, `t${round}`, same()),
        envelopeFor(system, 'conversation', conversationOf(contact), 'conversation.mark-read', null, same()),
        envelopeFor(
          system,
          'conversation',
          conversationOf(contact),
          'message.send',
          { messageId: same().commandId, content: round, sender: { id: 'a' } },
          same(),
        ),
      ]);
      await Promise.all(batch.map((one) => request(system, one)));
    }
    expectSound(system);
    dumps.push(rowsOf(system.file));
  }
  expect(dumps[0]).toEqual(dumps[1]);
});
