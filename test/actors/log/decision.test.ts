import { expect, test } from 'vitest';
import type { HostStore } from '#actors/store/host-store.ts';
import { conversationOf } from '../../_support/actor-system.ts';
import { request, rowsOf } from '../support.ts';
import { Cluster, Node } from './node.ts';
import { type Fate, ReplicatedLog } from './replicated-log.ts';
import { contactIn, rest, settingState, starting, until } from './support.ts';

const [ann, bob] = [contactIn(0), contactIn(1)];

/** Two shards of one node; `fates` says what becomes of the next appends of shard 0. */
async function twoShards(wrapStore?: (store: HostStore) => HostStore) {
  const fates: Fate[] = [];
  const log = new ReplicatedLog(({ shard }) => (shard === 0 ? (fates.shift() ?? 'appended') : 'appended'));
  const cluster = new Cluster(log);
  const node = new Node(cluster, { owned: [0, 1], ...(wrapStore && { wrapStore }) });
  await until(cluster, () => node.host.owned.length === 2);
  return { fates, log, cluster, node };
}

/** A promise that can be asked. */
function watched<T>(promise: Promise<T>): { promise: Promise<T>; settled: () => boolean } {
  let done = false;
  void promise.finally(() => {
    done = true;
  });
  return { promise, settled: () => done };
}

const conversations = (node: Node) =>
  rowsOf(node.file).conversation.map(({ id }) => Buffer.from(id as Uint8Array).toString('hex'));
const hex = (contact: string) => conversationOf(contact).replaceAll('-', '');

test('nothing is visible before the log has the record', async () => {
  const { fates, log, cluster, node } = await twoShards();
  await using _ = node;
  fates.push('held', 'held');
  const first = watched(request(cluster, starting(cluster, ann)));
  await rest();
  const second = watched(request(cluster, settingState(cluster, ann)));
  await rest();
  expect([log.held.length, conversations(node), first.settled()]).toEqual([1, [], false]);
  log.held.shift()!();
  expect(await first.promise).toMatchObject({ ok: true });
  await rest();
  expect([log.held.length, second.settled()]).toEqual([1, false]);
  expect(rowsOf(node.file).conversation).toMatchObject([{ workflow: null }]);
  log.held.shift()!();
  expect(await second.promise).toEqual({ ok: true, result: null });
  expect(rowsOf(node.file).conversation).toMatchObject([{ workflow: 'OPEN' }]);
  expect(log.of(0).map(({ lsn, epoch }) => [lsn, epoch])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
});

test('a record on its way holds up no other shard', async () => {
  const { fates, log, cluster, node } = await twoShards();
  await using _ = node;
  fates.push('held');
  const slow = watched(request(cluster, starting(cluster, ann)));
  await rest();
  expect(await request(cluster, starting(cluster, bob))).toMatchObject({ ok: true });
  expect([conversations(node), slow.settled()]).toEqual([[hex(bob)], false]);
  log.held.shift()!();
  expect(await slow.promise).toMatchObject({ ok: true });
});

test.each<[Fate, string]>([
  ['lost', 'is in the log'],
  ['failed', 'is not in the log'],
])('an append that ended %s is tried until it is known', async (fate) => {
  const { fates, log, cluster, node } = await twoShards();
  await using _ = node;
  fates.push(fate, fate, fate);
  const before = log.appends.length;
  const sent = watched(request(cluster, starting(cluster, ann)));
  await rest();
  // The shard stands still: what comes next builds on it. The other one goes on.
  const next = watched(request(cluster, settingState(cluster, ann)));
  expect(await request(cluster, starting(cluster, bob))).toMatchObject({ ok: true });
  expect([sent.settled(), next.settled(), conversations(node)]).toEqual([false, false, [hex(bob)]]);
  await until(cluster, sent.settled);
  expect(await sent.promise).toMatchObject({ ok: true });
  await until(cluster, next.settled);
  expect(await next.promise).toMatchObject({ ok: true });
  const tries = log.appends.slice(before).filter(({ shard, lsn }) => shard === 0 && lsn === 2);
  expect(tries).toHaveLength(4);
  for (const one of tries) expect(one).toEqual(tries[0]);
  expect(log.of(0)).toHaveLength(3);
  expect(node.events('log.doubt')).toHaveLength(3);
  expect(node.events('store.failed')).toEqual([]);
});

test('a commit that fails after the append is redone', async () => {
  const failing = { now: false };
  const { log, cluster, node } = await twoShards((store) => {
    const { transactions } = store;
    const advance = transactions.advance.bind(transactions);
    transactions.advance = (row, previous) => {
      if (failing.now && row.shard === 0) throw Object.assign(new Error('disk is full'), { code: 'SQLITE_FULL' });
      advance(row, previous);
    };
    return store;
  });
  await using _ = node;
  failing.now = true;
  const sent = watched(request(cluster, starting(cluster, ann)));
  await rest();
  for (let n = 0; n < 5; n++) {
    cluster.clock.advance(1_000);
    await rest();
  }
  expect([sent.settled(), conversations(node)]).toEqual([false, []]);
  expect(log.of(0)).toHaveLength(2);
  expect(await request(cluster, starting(cluster, bob))).toMatchObject({ ok: true });
  failing.now = false;
  await until(cluster, sent.settled);
  expect(await sent.promise).toMatchObject({ ok: true, result: { message: { content: { text: `to ${ann}` } } } });
  // It was appended once, and its rows are there once.
  expect(log.appends.filter(({ shard }) => shard === 0)).toHaveLength(2);
  expect(rowsOf(node.file).message).toHaveLength(2);
  expect(await request(cluster, settingState(cluster, ann))).toMatchObject({ ok: true });
});

test('a refusal says nothing of a try before it that is in doubt', async () => {
  const { fates, log, cluster, node } = await twoShards();
  await using _ = node;
  fates.push('lost', 'not appended', 'not appended');
  const sent = watched(request(cluster, starting(cluster, ann)));
  await until(cluster, sent.settled);
  expect(await sent.promise).toMatchObject({ ok: true });
  expect(log.of(0)).toHaveLength(2);
  expect([node.events('log.doubt').length, node.events('log.not_appended')]).toEqual([3, []]);
  expect(conversations(node)).toEqual([hex(ann)]);
});

test('what is certainly not appended is undone', async () => {
  const { fates, log, cluster, node } = await twoShards();
  await using _ = node;
  const before = rowsOf(node.file);
  fates.push('not appended');
  const envelope = starting(cluster, ann);
  expect(await request(cluster, envelope)).toMatchObject({
    ok: false,
    failure: { code: 'unavailable', retryAfter: 1 },
  });
  expect(rowsOf(node.file)).toEqual(before);
  expect(node.events('log.not_appended')).toEqual([{ shard: 0, reason: 'no quorum' }]);
  // The next try may succeed at once, and other shards never failed.
  expect(await request(cluster, starting(cluster, bob))).toMatchObject({ ok: true });
  expect(await request(cluster, envelope)).toMatchObject({ ok: true, result: { message: {} } });
  const records = log.of(0);
  expect(records.map(({ lsn }) => lsn)).toEqual([1, 2]);
  const rows = rowsOf(node.file);
  expect(rows.shard).toMatchObject([{ lsn: 2 }, { lsn: 2 }]);
  expect(rows.message).toHaveLength(2);
  // Nothing of the first try is left: not even its keys.
  expect(rows.conversation[0]?.key).toBe(before.shard[0]?.next_key);
});

test('a reply goes out only after its commit', async () => {
  const { fates, cluster, node } = await twoShards();
  await using _ = node;
  fates.push('held');
  const seen: number[] = [];
  const sent = request(cluster, starting(cluster, ann)).then((reply) => {
    seen.push(rowsOf(node.file).conversation.length);
    return reply;
  });
  await rest();
  (cluster.log as ReplicatedLog).held.shift()!();
  expect(await sent).toMatchObject({ ok: true });
  expect(seen).toEqual([1]);
});
