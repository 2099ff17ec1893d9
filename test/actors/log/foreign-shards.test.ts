import { expect, test } from 'vitest';
import { request, rowsOf, uuid } from '../support.ts';
import { Cluster, Node } from './node.ts';
import { type Fate, ReplicatedLog } from './replicated-log.ts';
import { answered, contactIn, rest, starting, until } from './support.ts';

const [ann, bob] = [contactIn(0), contactIn(1)];

/** A send that waits 30 s for its conversation. */
const waiting = (cluster: Cluster, contact: string) => ({
  ...starting(cluster, contact),
  body: { messageId: uuid(), content: contact, sender: { id: 'a' } },
});

test('timers of shards that are given away hold up no others', async () => {
  const cluster = new Cluster(new ReplicatedLog());
  await using node = new Node(cluster, { owned: [0, 1] });
  await until(cluster, () => node.host.owned.length === 2);
  await answered(cluster, waiting(cluster, ann));
  cluster.clock.advance(1_000);
  await answered(cluster, waiting(cluster, bob));
  await node.host.release(0);
  await until(cluster, () => rowsOf(node.file).parked_send.length === 1, 1_000);
  // The row of the other shard is there still, for its owner.
  expect(rowsOf(node.file).timer).toHaveLength(1);
  await node.host.take(0);
  await until(cluster, () => rowsOf(node.file).parked_send.length === 0, 1_000);
  expect(rowsOf(node.file).timer).toEqual([]);
});

test('a log that can not be read at the start ends nothing', async () => {
  const log = new ReplicatedLog();
  log.unreachable = true;
  const cluster = new Cluster(log);
  await using node = new Node(cluster, { owned: [0] });
  await rest();
  expect([node.host.owned, node.events('shard.not_taken')]).toEqual([[], [{ shard: 0, reason: 'no connection' }]]);
  log.unreachable = false;
  await node.host.take(0);
  expect(await request(cluster, starting(cluster, ann))).toMatchObject({ ok: true });
});

test('an idle owner notices that it is fenced by its own records', async () => {
  const cluster = new Cluster(new ReplicatedLog());
  await using first = new Node(cluster, { owned: [0], retention: { journal: 60_000 } });
  await until(cluster, () => first.host.owned.length === 1);
  await using second = new Node(cluster);
  await second.host.take(0);
  await until(cluster, () => first.host.owned.length === 0, 1_000);
  expect(first.events('shard.fenced')).toEqual([{ shard: 0 }]);
});

test('a round of pruning ends with the ownership of its shard', async () => {
  const fates: Fate[] = [];
  const log = new ReplicatedLog(() => fates.shift() ?? 'appended');
  const cluster = new Cluster(log);
  await using first = new Node(cluster, { owned: [0], retention: { journal: 60_000 } });
  await until(cluster, () => first.host.owned.length === 1);
  fates.push('held');
  const sent = request(cluster, starting(cluster, ann));
  await rest();
  // The round is due, and waits for the record that is on its way.
  cluster.clock.advance(15_000);
  await using second = new Node(cluster);
  await second.host.take(0);
  const before = log.appends.length;
  log.held.shift()!();
  expect(await sent).toMatchObject({ ok: false, failure: { code: 'not_owner' } });
  await rest();
  expect(log.appends).toHaveLength(before);
});

test('own time does not leap when a shard is taken again', async () => {
  const hour = 3_600_000;
  const cluster = new Cluster(new ReplicatedLog());
  await using node = new Node(cluster, { owned: [0], retention: { journal: 60_000 } });
  const marks = (): number => rowsOf(node.file).mark.length;
  await until(cluster, () => node.host.owned.length === 1 && marks() === 1, 1_000);
  const { time } = rowsOf(node.file).shard[0]!;
  await node.host.release(0);
  cluster.clock.advance(hour);
  // For the minute in which it comes back, the wall clock is wrong.
  cluster.clock.set(24 * hour);
  await node.host.take(0);
  await until(cluster, () => marks() === 2, 1_000);
  expect(Number(rowsOf(node.file).shard[0]!.time) - Number(time)).toBeLessThan(hour / 60);
});

test('a record of pruning that is not appended is made again', async () => {
  const fates: Fate[] = [];
  const log = new ReplicatedLog(() => fates.shift() ?? 'appended');
  const cluster = new Cluster(log);
  await using node = new Node(cluster, { owned: [0], retention: { journal: 60_000 } });
  await until(cluster, () => node.host.owned.length === 1);
  fates.push('not appended');
  await until(cluster, () => rowsOf(node.file).mark.length === 1, 1_000);
  expect(log.records.map(({ lsn }) => lsn)).toEqual([1, 2]);
  expect(await request(cluster, starting(cluster, ann))).toMatchObject({ ok: true });
});
