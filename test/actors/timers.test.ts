import { expect, test } from 'vitest';
import { defaultMailboxLimits } from '#actors/runtime/mailbox.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { envelopeFor, eventsOf, expectSound, request, rowsOf, sendText, withHandlers } from './support.ts';

async function advance(system: ActorSystem, ms: number): Promise<void> {
  system.clock.advance(ms);
  await system.settle();
}

const givenUp = (system: ActorSystem) => eventsOf(system).filter(({ type }) => type === 'metadata.updated').length;

test('a parked send is given up after 30 s, not before', async () => {
  await using system = new ActorSystem();
  await sendText(system.commands(), 'ann', 'hello?');
  await advance(system, 29_999);
  expect(givenUp(system)).toBe(0);
  await advance(system, 1);
  expect(givenUp(system)).toBe(1);
  expect(rowsOf(system.file)).toMatchObject({ timer: [], parked_send: [] });
  await advance(system, 60_000);
  expect(givenUp(system)).toBe(1);
  expectSound(system);
});

test('the wait goes on over a restart in its middle', async () => {
  await using system = new ActorSystem();
  await sendText(system.commands(), 'ann', 'hello?');
  await advance(system, 20_000);
  await system.restart();
  await advance(system, 9_999);
  expect(givenUp(system)).toBe(0);
  await advance(system, 1);
  expect(givenUp(system)).toBe(1);
});

test('a clock that is set back makes no timer late or early', async () => {
  await using system = new ActorSystem({ shards: 2 });
  const sends = Array.from({ length: 300 }, (_, n) => sendText(system.commands(), `ann ${n}`, 'hello?'));
  await Promise.all(sends);
  await advance(system, 10_000);
  await sendText(system.commands(), 'bob', 'hello?');
  system.clock.set(-3_600_000);
  await sendText(system.commands(), 'cid', 'hello?');
  const pass = async (ms: number): Promise<void> => {
    await advance(system, ms);
    for (let turn = 0; turn < 5; turn++) await advance(system, 1);
  };
  await pass(19_900);
  expect(givenUp(system)).toBe(0);
  await pass(150);
  expect(givenUp(system)).toBe(300);
  await pass(9_800);
  expect(givenUp(system)).toBe(300);
  await pass(150);
  expect(givenUp(system)).toBe(302);
  expectSound(system);
});

test('timers overdue at the start fire once', async () => {
  await using system = new ActorSystem({ shards: 4 });
  const contacts = ['ann', 'bob', 'cid', 'dan'];
  for (const contact of contacts) await sendText(system.commands(), contact, 'hello?');
  await system.stop();
  system.clock.advance(3_600_000);
  system.start();
  await advance(system, 0);
  expect(givenUp(system)).toBe(contacts.length);
  await system.restart();
  await advance(system, 60_000);
  expect(givenUp(system)).toBe(contacts.length);
  expectSound(system);
});

test('a cancelled timer does not fire', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await sendText(commands, 'ann', 'hello?');
  await commands.send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  expect(rowsOf(system.file).timer).toEqual([]);
  const before = rowsOf(system.file).journal;
  await advance(system, 60_000);
  expect(rowsOf(system.file).journal).toEqual(before);
});

test('a timer cancelled in the batch that fires it is ignored', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await connectTestChannel(commands);
  await sendText(commands, 'ann', 'hello?');
  const ingest = request(
    system,
    envelopeFor(system, 'conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']), {
      deadline: system.clock.now() + 60_000,
    }),
  );
  await Promise.resolve();
  await advance(system, 30_000);
  expect(await ingest).toMatchObject({ ok: true });
  const { message, dead_letter } = rowsOf(system.file);
  expect([message.length, dead_letter]).toEqual([2, []]);
  expect(givenUp(system)).toBe(0);
  expectSound(system);
});

test('a later send starts no new wait', async () => {
  await using system = new ActorSystem();
  await sendText(system.commands(), 'ann', 'one');
  await advance(system, 20_000);
  await sendText(system.commands(), 'ann', 'two');
  await advance(system, 10_000);
  expect(givenUp(system)).toBe(2);
  await sendText(system.commands(), 'ann', 'three');
  await advance(system, 29_999);
  expect(givenUp(system)).toBe(2);
  await advance(system, 1);
  expect(givenUp(system)).toBe(3);
});

test('more due timers than a mailbox holds all fire', async () => {
  await using system = new ActorSystem({ limits: { ...defaultMailboxLimits, commands: 5 } });
  for (let n = 0; n < 12; n++) await sendText(system.commands(), `c${n}`, 'hello?');
  for (let turn = 0; turn < 10; turn++) await advance(system, turn === 0 ? 30_000 : 50);
  expect(givenUp(system)).toBe(12);
  expect(rowsOf(system.file).timer).toEqual([]);
});

test('a timer that changes nothing fires once', async () => {
  let fired = 0;
  const kinds = withHandlers({}, { onTimer: () => fired++ });
  await using system = new ActorSystem({ kinds });
  await sendText(system.commands(), 'ann', 'hello?');
  for (let turn = 0; turn < 5; turn++) await advance(system, 30_000);
  expect(fired).toBe(1);
  expect(rowsOf(system.file).timer).toEqual([]);
});

test('nothing runs after a stop with a timer under way', async () => {
  await using system = new ActorSystem();
  await sendText(system.commands(), 'ann', 'one');
  system.clock.advance(10_000);
  await sendText(system.commands(), 'bob', 'two');
  system.clock.advance(20_000);
  await system.stop();
  expect(rowsOf(system.file).timer).toHaveLength(1);
  expect(() => system.clock.advance(60_000)).not.toThrow();
});
