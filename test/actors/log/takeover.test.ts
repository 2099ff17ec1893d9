import { expect, test } from 'vitest';
import { applyRecord } from '#actors/log/apply.ts';
import { workOfShard } from '#src/nats/subjects.ts';
import { request, rowsOf } from '../support.ts';
import { Cluster, Node } from './node.ts';
import { type Fate, ReplicatedLog } from './replicated-log.ts';
import { contactIn, rest, settingState, starting, until } from './support.ts';

const ann = contactIn(0);

function cluster() {
  const fates: Fate[] = [];
  const log = new ReplicatedLog(() => fates.shift() ?? 'appended');
  return { fates, log, cluster: new Cluster(log) };
}

test('one that asks twice for a shard serves it once', async () => {
  const { cluster: shared, log } = cluster();
  await using node = new Node(shared);
  const { bus } = shared;
  const subscribe = bus.subscribe.bind(bus);
  const served: string[] = [];
  bus.subscribe = (pattern, handle) => {
    served.push(pattern);
    return subscribe(pattern, handle);
  };
  await Promise.all([node.host.take(0), node.host.take(0)]);
  expect(served).toEqual([workOfShard(0)]);
  expect(log.of(0)).toHaveLength(1);
});

test('a shard that is given away is taken again after that', async () => {
  const { cluster: shared, log, fates } = cluster();
  await using node = new Node(shared, { owned: [0] });
  await until(shared, () => node.host.owned.length === 1);
  fates.push('held');
  const inFlight = request(shared, starting(shared, ann));
  await rest();
  const changes = [node.host.release(0), node.host.take(0)];
  await rest();
  log.held.shift()!();
  await Promise.all(changes);
  expect(await inFlight).toMatchObject({ ok: true });
  expect(node.host.owned).toEqual([0]);
  expect(await request(shared, settingState(shared, ann))).toMatchObject({ ok: true });
  expect(log.of(0).map(({ epoch }) => epoch)).toEqual([1, 1, 2, 2]);
});

test('what a standby has applied meanwhile stops no takeover', async () => {
  const { cluster: shared, log } = cluster();
  await using first = new Node(shared, { owned: [0] });
  await until(shared, () => first.host.owned.length === 1);
  await request(shared, starting(shared, ann));
  await request(shared, settingState(shared, ann));
  let applied = (): void => {};
  await using second = new Node(shared, {
    wrapStore: (store) => {
      applied = () => {
        for (const record of log.of(0).slice(0, 2)) applyRecord(store, record);
      };
      return store;
    },
  });
  const { tail } = log;
  log.tail = async (shard, after) => {
    const found = await tail.call(log, shard, after);
    applied();
    return found;
  };
  await second.host.take(0);
  expect(second.host.owned).toEqual([0]);
  expect(rowsOf(second.file).conversation).toMatchObject([{ workflow: 'OPEN' }]);
});
