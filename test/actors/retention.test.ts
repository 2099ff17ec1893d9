import { expect, test } from 'vitest';
import type { ChangeRecord } from '#actors/log/shard-log.ts';
import { journal } from '#actors/store/tables.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, testChannel } from '../_support/actor-system.ts';
import { elapse, envelopeFor, eventsOf, expectSound, RecordingLog, request, rowsOf, turnsOf, uuid } from './support.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const ann = conversationOf('ann');

/** How much later than its period something goes at the latest: marks are made sixteen times in a period. */
const late = (period: number): number => period / 8;

/** Lets a period pass, and as much more as its marks need. */
const outlast = (system: ActorSystem, period: number): Promise<void> =>
  elapse(system, period + late(period), period / 32);

const setState = (system: ActorSystem, state: 'OPEN' | 'CLOSED' = 'OPEN') =>
  envelopeFor(system, 'conversation', ann, 'conversation.set-state', { state });

/** The same command as if it were sent now. */
const resent = <E extends { now: number; deadline: number }>(system: ActorSystem, envelope: E): E => {
  const now = system.clock.now();
  return { ...envelope, now, deadline: now + 1_000 };
};

async function talking(options: ConstructorParameters<typeof ActorSystem>[0]): Promise<ActorSystem> {
  const system = new ActorSystem(options);
  await connectTestChannel(system.commands());
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', ['old']));
  return system;
}

/** The cuts of the journal in records. */
const cutsOf = (records: ChangeRecord[]) =>
  records.flatMap(({ changes }) => changes.filter((change) => journal.is(change) && change.op === 'cut'));

test('an answer is remembered as long as its turn is kept', async () => {
  await using system = await talking({ retention: { journal: 25 * hour } });
  const [state, refused] = [
    setState(system),
    envelopeFor(system, 'conversation', ann, 'message.resend', { messageId: uuid() }),
  ];
  const answers = [await request(system, state), await request(system, refused)];
  expect(answers.map(({ ok }) => ok)).toEqual([true, false]);
  await elapse(system, 25 * hour - 60_000, hour);
  for (const [n, envelope] of [state, refused].entries()) {
    expect(await request(system, resent(system, envelope))).toEqual({ ...answers[n], replayed: true });
  }
  const { seq } = rowsOf(system.file).conversation[0]!;
  await outlast(system, 25 * hour);
  expect(await request(system, resent(system, state))).toEqual(answers[0]);
  expect(rowsOf(system.file).conversation[0]!.seq).toBeGreaterThan(Number(seq));
  expectSound(system);
});

test('a message outlives the turn that it is recognised by', async () => {
  await using system = await talking({ retention: { journal: hour } });
  const ingest = envelopeFor(system, 'conversation', ann, 'messages.ingest', ingestOf('ann', ['hi'], 'new'));
  expect(await request(system, ingest)).toMatchObject({ ok: true, result: { messages: [{ duplicate: false }] } });
  await outlast(system, hour);
  const before = rowsOf(system.file).message;
  expect(await request(system, resent(system, ingest))).toMatchObject({
    ok: true,
    result: { messages: [{ duplicate: true }] },
  });
  expect(rowsOf(system.file).message).toEqual(before);
  expect(turnsOf(system.file)).toEqual([]);
});

test('turns older than the policy go, younger ones stay', async () => {
  const log = new RecordingLog();
  await using system = await talking({ shards: 4, retention: { journal: 2 * hour }, log });
  await elapse(system, hour, 5 * 60_000);
  const reader = system.reader();
  const old = reader.feed.read({ after: [], limit: 100 }).entries;
  expect(old).toHaveLength(3);
  await system.commands().send('conversation', ann, 'messages.ingest', ingestOf('ann', ['new'], 'new'));
  await elapse(system, hour - 60_000, 5 * 60_000);
  expect(reader.feed.read({ after: [], limit: 100 }).entries).toHaveLength(5);
  await elapse(system, late(2 * hour) + 60_000, 5 * 60_000);
  const kept = reader.feed
    .read({ after: old[0]!.position, limit: 100 })
    .entries.map(({ event }) => `${event.type} ${event.seq}`);
  expect(kept).toEqual(['message.created 3', 'conversation.updated 4']);
  expect(reader.feed.read({ after: [], limit: 100 }).entries).toHaveLength(2);
  reader.close();
  expect(turnsOf(system.file).map(({ type }) => type)).toEqual(['messages.ingest']);
  expect(new Set(cutsOf(log.records).map((change) => 'from' in change && Math.floor(change.from / 2 ** 40))).size).toBe(
    2,
  );
  expectSound(system);
});

test('a journal pruned to nothing keeps its end and its numbers', async () => {
  await using system = new ActorSystem({ retention: { journal: hour } });
  await connectTestChannel(system.commands());
  const reader = system.reader();
  const end = reader.feed.end();
  await outlast(system, hour);
  expect(turnsOf(system.file)).toEqual([]);
  expect(reader.feed.end()).toEqual(end);
  expect(reader.feed.start()).toEqual(end);
  expectSound(system);
  await system.restart();
  await connectTestChannel(system.commands());
  expect(reader.feed.read({ after: end, limit: 10 }).entries).toMatchObject([
    { event: { seq: 2 }, position: [end[0]! + 1] },
  ]);
  reader.close();
  expectSound(system);
});

test('without a policy every turn is kept, and no time counted', async () => {
  await using system = await talking({});
  const turns = turnsOf(system.file);
  await elapse(system, 365 * day, 30 * day);
  expect(turnsOf(system.file)).toEqual(turns);
  expect(rowsOf(system.file)).toMatchObject({ mark: [], base: [] });
});

/** A conversation with 300 turns, all of them too old; pruning has not begun. */
async function manyOldTurns(log: RecordingLog): Promise<ActorSystem> {
  const system = await talking({ retention: { journal: hour }, log });
  await elapse(system, hour / 2, hour / 32);
  for (let n = 0; n < 298; n += 2) {
    await Promise.all([request(system, setState(system)), request(system, setState(system, 'CLOSED'))]);
  }
  await elapse(system, hour, hour / 32);
  return system;
}

test('many old turns go in steps of 128, soon after another', async () => {
  const log = new RecordingLog();
  await using system = await manyOldTurns(log);
  const before = log.records.length;
  await elapse(system, hour / 16 + 20_000, 10_000);
  await elapse(system, 100, 20);
  const steps = log.records.slice(before).filter((record) => cutsOf([record]).length > 0);
  expect(steps.map(({ position }) => position.horizon)).toEqual(
    [...steps.map(({ position }) => position.horizon)].sort((a, b) => a - b),
  );
  const cut = steps.map(({ changes }) => changes.filter(({ op }) => op === 'cut').length);
  expect(cut).toEqual([1, 1, 1]);
  expect(turnsOf(system.file)).toEqual([]);
  expectSound(system);
});

test('commands are handled between the steps of pruning', async () => {
  const log = new RecordingLog();
  await using system = await manyOldTurns(log);
  let before = log.records.length;
  while (cutsOf(log.records.slice(before)).length === 0) {
    before = log.records.length;
    await elapse(system, 10_000, 10_000);
  }
  await connectTestChannel(system.commands());
  await elapse(system, 100, 20);
  const cut = log.records.slice(before).map((record) => cutsOf([record]).length > 0);
  expect(cut).toEqual([true, false, true, true]);
  expectSound(system);
});

test('actors fold from their bases, and go on', async () => {
  await using system = await talking({ retention: { journal: hour } });
  const commands = system.commands();
  const messageId = uuid();
  await commands.send('conversation', ann, 'message.send', { messageId, content: 1, sender: { id: 'a' } });
  await request(system, setState(system));
  const before = rowsOf(system.file);
  await outlast(system, hour);
  const { base, conversation, channel, message } = rowsOf(system.file);
  expect(turnsOf(system.file)).toEqual([]);
  // The conversation, its channel and the message that is being delivered; inbound messages have no machine.
  expect(base.map(({ key }) => key).sort()).toEqual(
    [conversation[0]!.key, channel[0]!.key, message.find(({ delivery }) => delivery !== null)!.key].sort(),
  );
  expect({ conversation, channel, message }).toEqual({
    conversation: before.conversation,
    channel: before.channel,
    message: before.message,
  });
  expectSound(system);
  await system.restart();
  await request(system, setState(system, 'CLOSED'));
  await outlast(system, hour);
  await request(system, setState(system));
  expectSound(system);
  const events = eventsOf(system);
  expect(events.map(({ type, seq }) => [type, seq])).toEqual([
    ['metadata.updated', 9],
    ['conversation.updated', 10],
  ]);
  expect(rowsOf(system.file).base).toHaveLength(3);
});

test('what is pruned is pruned once over restarts', async () => {
  const log = new RecordingLog();
  await using system = await talking({ retention: { journal: hour }, log });
  for (let n = 0; n < 6; n++) {
    await outlast(system, hour);
    await system.restart();
    await request(system, setState(system, n % 2 === 0 ? 'OPEN' : 'CLOSED'));
    expectSound(system);
  }
  const bounds = cutsOf(log.records).flatMap((change) => ('from' in change ? [change.from, change.to] : []));
  expect(bounds.length).toBeGreaterThan(4);
  expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
  for (let n = 2; n < bounds.length; n += 2) expect(bounds[n]).toBe(bounds[n - 1]);
});

test.each([
  ['forwards', [40 * day]],
  ['backwards', [-40 * day]],
  ['forth and back', [40 * day, -80 * day, 40 * day]],
])('a clock that jumps %s deletes nothing', async (_title, jumps) => {
  await using system = await talking({ retention: { journal: 30 * day, deliveries: 30 * day } });
  await elapse(system, day, hour);
  const turns = turnsOf(system.file);
  for (const jump of jumps) {
    system.clock.set(jump);
    await elapse(system, hour, 10_000 * 12);
    await system.restart();
    await elapse(system, hour, 10_000 * 12);
  }
  expect(turnsOf(system.file)).toEqual(turns);
});

test('after a jump old turns still go, at twice the pace at most', async () => {
  const pass = (system: ActorSystem, ms: number) => elapse(system, ms, hour / 2);
  await using system = await talking({ retention: { journal: 10 * hour } });
  await pass(system, hour);
  system.clock.set(40 * day);
  await pass(system, 4 * hour);
  expect(turnsOf(system.file)).not.toEqual([]);
  await pass(system, hour + late(10 * hour));
  expect(turnsOf(system.file)).toEqual([]);
  // Backwards the pace is that of the time that passes.
  await connectTestChannel(system.commands());
  system.clock.set(-80 * day);
  await pass(system, 9.5 * hour);
  expect(turnsOf(system.file)).not.toEqual([]);
  await pass(system, hour + late(10 * hour));
  expect(turnsOf(system.file)).toEqual([]);
});

test('time while the hub was down is made up for slowly', async () => {
  await using system = await talking({ retention: { journal: 10 * hour } });
  await elapse(system, hour, hour / 4);
  await system.stop();
  system.clock.advance(1_000 * hour);
  system.start();
  await elapse(system, 4 * hour, hour / 4);
  expect(turnsOf(system.file)).not.toEqual([]);
  await elapse(system, hour + late(10 * hour), hour / 4);
  expect(turnsOf(system.file)).toEqual([]);
});

test('marks do not pile up', async () => {
  await using system = await talking({ shards: 2, retention: { journal: hour, deliveries: 2 * hour } });
  for (let n = 0; n < 10; n++) {
    await elapse(system, hour, 60_000);
    // Sixteen an hour for two hours, in each shard, and one on each side.
    expect(rowsOf(system.file).mark.length).toBeLessThanOrEqual(2 * (2 * 16 + 2));
  }
  expect(rowsOf(system.file).mark.length).toBeGreaterThan(16);
});

/** Marks of a kept period are as far apart as the longest of them allows. */
test('a long period is marked each hour', async () => {
  await using system = await talking({ retention: { journal: 30 * day } });
  await elapse(system, day, 10 * 60_000);
  const times = rowsOf(system.file).mark.map(({ at }) => Number(at));
  expect(times).toHaveLength(24);
  expect(new Set(times.slice(1).map((at, n) => at - times[n]!))).toEqual(new Set([hour]));
});

test('rows of the channel and the conversation are never pruned', async () => {
  await using system = await talking({ retention: { journal: hour, deliveries: hour } });
  await outlast(system, 10 * hour);
  const { channel, conversation, message } = rowsOf(system.file);
  expect([channel.length, conversation.length, message.length]).toEqual([1, 1, 1]);
  const reader = system.reader();
  expect(reader.channels.find(testChannel)).toMatchObject({ connected: true });
  reader.close();
});
