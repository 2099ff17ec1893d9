import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kinds, kindTables } from '#actors/kinds.ts';
import { verifyFile } from '#actors/journal/verify.ts';
import { applyRecord, DivergedError } from '#actors/log/apply.ts';
import { FencedError } from '#actors/log/shard-log.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { conversationOf } from '../../_support/actor-system.ts';
import { failureOf, request, rowsOf, uuid } from '../support.ts';
import { Cluster, Node } from './node.ts';
import { type Fate, ReplicatedLog } from './replicated-log.ts';
import { answered, commandsOf, contactIn, rest, settingState, starting, until } from './support.ts';

const [ann, bob] = [contactIn(0), contactIn(1)];

function cluster() {
  const fates: Fate[] = [];
  const log = new ReplicatedLog(() => fates.shift() ?? 'appended');
  return { fates, log, cluster: new Cluster(log) };
}

/** The rows of a shard in a file: everything but where the other shards stand. */
function rowsOfShard(file: string, shard: number): unknown {
  const of = (key: unknown): boolean => Math.floor(Number(key) / 2 ** 40) === shard;
  return Object.entries(rowsOf(file)).map(([table, rows]) => [
    table,
    rows.filter((row) => (table === 'shard' ? row['shard'] === shard : of(row['key']))),
  ]);
}

test('taking a shard applies its log and raises the epoch', async () => {
  const { cluster: shared, log } = cluster();
  await using first = new Node(shared, { owned: [0, 1] });
  await until(shared, () => first.host.owned.length === 2);
  await request(shared, starting(shared, ann));
  await request(shared, settingState(shared, ann));
  await using second = new Node(shared);
  expect(second.host.owned).toEqual([]);
  await second.host.take(0);
  expect(second.host.owned).toEqual([0]);
  expect(log.of(0).map(({ lsn, epoch }) => [lsn, epoch])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
  ]);
  expect(rowsOf(second.file).shard).toMatchObject([{ shard: 0, lsn: 4, epoch: 2 }]);
  const [, ...before] = rowsOfShard(first.file, 0) as unknown[];
  const [, ...after] = rowsOfShard(second.file, 0) as unknown[];
  expect(after).toEqual(before);
  expect(verifyFile(second.file, kinds).problems).toEqual([]);
  // Its own log says the same once more: taking again is nothing.
  await second.host.take(0);
  expect(log.of(0)).toHaveLength(4);
});

test('a fenced owner drops the shard, and the sender goes on', async () => {
  const { cluster: shared, log } = cluster();
  await using first = new Node(shared, { owned: [0, 1] });
  await until(shared, () => first.host.owned.length === 2);
  await request(shared, starting(shared, ann));
  const alone = [...first.host.owned];
  // Somebody else takes it: the first owner does not know.
  await using second = new Node(shared);
  const { bus } = shared;
  const subscribe = bus.subscribe.bind(bus);
  let subscribed = (): void => {};
  bus.subscribe = (pattern, handle) => {
    subscribed = () => void subscribe(pattern, handle);
    return () => {};
  };
  await second.host.take(0);
  const replies = await Promise.all([
    request(shared, settingState(shared, ann)),
    request(shared, settingState(shared, ann, 'CLOSED')),
    request(shared, starting(shared, bob)),
  ]);
  const notOwner = { ok: false, failure: { code: 'not_owner', retryAfter: 1 } };
  expect(replies).toMatchObject([notOwner, notOwner, { ok: true }]);
  expect([alone, first.host.owned]).toEqual([[0, 1], [1]]);
  expect(first.events('shard.fenced')).toEqual([{ shard: 0 }]);
  expect(rowsOf(first.file).conversation).toMatchObject([{ workflow: null }, {}]);
  // Nobody is there for a moment; a sender waits, and its command is done once, by the new owner.
  const sent = commandsOf(shared).send('conversation', conversationOf(ann), 'conversation.set-state', {
    state: 'OPEN',
  });
  await rest();
  subscribed();
  let done = false;
  void sent.finally(() => {
    done = true;
  });
  await until(shared, () => done);
  expect(await sent).toBeNull();
  expect(rowsOf(second.file).conversation).toMatchObject([{ workflow: 'OPEN', turns: 2 }]);
  expect(log.of(0).map(({ epoch }) => epoch)).toEqual([1, 1, 2, 2]);
  // Whoever was fenced may take it again, from what the log holds.
  bus.subscribe = subscribe;
  await first.host.take(0);
  expect([first.host.owned, rowsOf(first.file).conversation]).toMatchObject([
    [0, 1],
    [{ workflow: 'OPEN' }, {}],
  ]);
  expect(verifyFile(first.file, kinds).problems).toEqual([]);
});

test('what waits in the mailbox of a fenced shard goes elsewhere', async () => {
  const { cluster: shared, log, fates } = cluster();
  await using first = new Node(shared, { owned: [0] });
  await until(shared, () => first.host.owned.length === 1);
  await request(shared, starting(shared, ann));
  fates.push('held');
  const inFlight = request(shared, settingState(shared, ann));
  await rest();
  const queued = request(shared, settingState(shared, ann));
  await rest();
  await using second = new Node(shared);
  await second.host.take(0);
  log.held.shift()!();
  expect(await inFlight).toMatchObject({ ok: false, failure: { code: 'not_owner' } });
  expect(await queued).toMatchObject({ ok: false, failure: { code: 'not_owner' } });
  expect(first.host.owned).toEqual([]);
});

test('a command of the old owner is answered by the new one', async () => {
  const { cluster: shared } = cluster();
  await using first = new Node(shared, { owned: [0] });
  await until(shared, () => first.host.owned.length === 1);
  await request(shared, starting(shared, ann));
  const envelope = settingState(shared, ann);
  const reply = await request(shared, envelope);
  await first.host.release(0);
  await using second = new Node(shared);
  await second.host.take(0);
  expect(await request(shared, envelope)).toEqual({ ...reply, replayed: true });
});

test('releasing a shard answers what was taken, then nobody', async () => {
  const { cluster: shared, log, fates } = cluster();
  await using node = new Node(shared, { owned: [0, 1] });
  await until(shared, () => node.host.owned.length === 2);
  fates.push('held');
  const inFlight = request(shared, starting(shared, ann));
  await rest();
  const queued = request(shared, settingState(shared, ann));
  await rest();
  let released = false;
  const release = node.host.release(0).then(() => {
    released = true;
  });
  expect(node.host.owned).toEqual([1]);
  await expect(request(shared, starting(shared, contactIn(0, 1)))).rejects.toThrow('nobody serves');
  await rest();
  expect(released).toBe(false);
  log.held.shift()!();
  await release;
  expect(await inFlight).toMatchObject({ ok: true });
  expect(await queued).toEqual({ ok: true, result: null });
  expect(rowsOf(node.file).conversation).toMatchObject([{ workflow: 'OPEN' }]);
  // Another node goes on from there, and the first one may come back.
  await using second = new Node(shared);
  await second.host.take(0);
  await request(shared, settingState(shared, ann, 'CLOSED'));
  await second.host.release(0);
  await node.host.take(0);
  await request(shared, settingState(shared, ann));
  expect(rowsOf(node.file).conversation).toMatchObject([{ workflow: 'OPEN', turns: 4 }]);
  expect(verifyFile(node.file, kinds).problems).toEqual([]);
});

/** Two nodes that take a shard at the same time, from the same record on. */
async function racing() {
  const { cluster: shared, log } = cluster();
  const [first, second] = [new Node(shared), new Node(shared)];
  const { tail } = log;
  let read = 0;
  let bothHaveRead = (): void => {};
  const barrier = new Promise<void>((resolve) => {
    bothHaveRead = resolve;
  });
  log.tail = async (shard, after) => {
    const found = await tail.call(log, shard, after);
    if (++read === 2) bothHaveRead();
    await barrier;
    return found;
  };
  const taken = await Promise.allSettled([first.host.take(0), second.host.take(0)]);
  return { first, second, taken };
}

test('of two that take a shard at once one is fenced', async () => {
  const { first, second, taken } = await racing();
  await using _ = first;
  await using __ = second;
  expect(taken).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: expect.any(FencedError) }]);
  expect([first.host.owned, second.host.owned]).toEqual([[0], []]);
});

test('what was appended before a crash is there after it', async () => {
  const { cluster: shared, log, fates } = cluster();
  await using node = new Node(shared, { owned: [0] });
  await until(shared, () => node.host.owned.length === 1);
  const envelope = starting(shared, ann);
  fates.push('lost');
  void request(shared, envelope).catch(() => null);
  await rest();
  expect(rowsOf(node.file).conversation).toEqual([]);
  await using again = new Node(shared);
  await again.host.take(0);
  expect(log.of(0).map(({ epoch }) => epoch)).toEqual([1, 1, 2]);
  const reply = await request(shared, envelope);
  expect(reply).toMatchObject({ ok: true, replayed: true, result: { message: { content: { text: `to ${ann}` } } } });
  expect(rowsOf(again.file).message).toHaveLength(1);
  // Were it still there, it would commit what was decided, and notice with its next record that it owns nothing.
  await until(shared, () => rowsOf(node.file).conversation.length === 1);
  await answered(shared, settingState(shared, ann));
  expect([node.host.owned, again.host.owned]).toEqual([[], [0]]);
  expect(rowsOf(again.file).conversation).toMatchObject([{ workflow: 'OPEN' }]);
});

test('records applied to another file give the same rows', async () => {
  const { cluster: shared, log, fates } = cluster();
  await using first = new Node(shared, { owned: [0, 1] });
  await using second = new Node(shared);
  await until(shared, () => first.host.owned.length === 2);
  for (const [n, contact] of [ann, bob, contactIn(0, 1)].entries()) {
    if (n === 1) fates.push('failed', 'lost');
    const body = { messageId: uuid(), content: n, sender: { id: 'a' } };
    await answered(shared, { ...starting(shared, contact), body });
    if (n === 1) await first.host.release(0);
    if (n === 1) await second.host.take(0);
  }
  // Nobody comes: timers give the sends up.
  await until(shared, () => rowsOf(second.file).parked_send.length === 0, 5_000);
  const standby = join(first.folder, 'standby.db');
  const store = openHostStore({ file: standby, durability: 'normal', shards: 2, tables: kindTables });
  for (const record of log.records) applyRecord(store, JSON.parse(JSON.stringify(record)));
  store.close();
  expect(rowsOfShard(standby, 0)).toEqual(rowsOfShard(second.file, 0));
  expect(rowsOfShard(standby, 1)).toEqual(rowsOfShard(first.file, 1));
  expect(verifyFile(standby, kinds).problems).toEqual([]);
});

test('a record that does not follow changes nothing', async () => {
  const { cluster: shared, log } = cluster();
  await using node = new Node(shared, { owned: [0] });
  await until(shared, () => node.host.owned.length === 1);
  await request(shared, starting(shared, ann));
  await request(shared, settingState(shared, ann));
  const file = join(node.folder, 'standby.db');
  const store = openHostStore({ file, durability: 'normal', shards: 2, tables: kindTables });
  const [one, two, three] = log.of(0);
  applyRecord(store, one!);
  applyRecord(store, one!);
  const before = rowsOf(file);
  expect(() => applyRecord(store, three!)).toThrow(DivergedError);
  expect(() => applyRecord(store, { ...two!, prevHash: 'x' })).toThrow(DivergedError);
  expect(() => applyRecord(store, { ...one!, epoch: 7 })).toThrow(DivergedError);
  const broken = { table: 'journal', op: 'delete', key: 99 } as const;
  expect(() => applyRecord(store, { ...two!, changes: [...two!.changes, broken] })).toThrow('no row 99');
  expect(rowsOf(file)).toEqual(before);
  applyRecord(store, two!);
  applyRecord(store, three!);
  expect(rowsOfShard(file, 0)).toEqual(rowsOfShard(node.file, 0));
  store.close();
});

test('a refusal by the new owner is no reason to ask again', async () => {
  const { cluster: shared } = cluster();
  await using node = new Node(shared);
  await node.host.take(0);
  const sent = commandsOf(shared).send('conversation', conversationOf(ann), 'conversation.mark-read', null);
  expect(await failureOf(sent)).toBe('not_found');
});
