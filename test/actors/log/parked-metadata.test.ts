import { expect, test } from 'vitest';
import { sourceActorId } from '#actors/ids.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { testSource } from '../../_support/actor-system.ts';
import { envelopeFor, originOf, request, rowsOf } from '../support.ts';
import { Cluster, Node } from './node.ts';
import { type Fate, ReplicatedLog } from './replicated-log.ts';
import { contactIn, rest, starting, until } from './support.ts';

const source = sourceActorId(testSource);
const sourceShard = shardOf(source, 2);
const ann = contactIn(1 - sourceShard);

/** Two shards of one node: of the source, and of Ann's conversation, whose next appends end as `fates` say. */
async function apart() {
  const fates: Fate[] = [];
  const log = new ReplicatedLog(({ shard }) => (shard === sourceShard ? 'appended' : (fates.shift() ?? 'appended')));
  const cluster = new Cluster(log);
  const node = new Node(cluster, { owned: [0, 1] });
  await until(cluster, () => node.host.owned.length === 2);
  const sourceId = originOf(ann).sourceConversationId;
  const items = [{ namespace: 'conversation', sourceId, metadata: { vip: true } }];
  const park = () =>
    request(cluster, envelopeFor(cluster, 'source', source, 'metadata.park', { source: testSource, items }));
  /** What actors tell each other, and nobody carries here. */
  const told = () =>
    rowsOf(node.file).outbox.map(({ body }) => (JSON.parse(String(body)) as { type?: string } | null)?.type);
  const isParked = () => rowsOf(node.file).parked_metadata.length > 0;
  return { fates, log, cluster, node, park, told, isParked };
}

test('what was kept while its target was on its way is told', async () => {
  const { fates, log, cluster, node, park, told, isParked } = await apart();
  await using _ = node;
  fates.push('held');
  const started = request(cluster, starting(cluster, ann));
  await rest();
  expect(await park()).toEqual({ ok: true, result: { appeared: [] } });
  log.held.shift()!();
  expect(await started).toMatchObject({ ok: true });
  expect([isParked(), told()]).toEqual([true, [undefined]]);
  await until(cluster, () => !isParked());
  expect(told()).toEqual([undefined, 'metadata.merge']);
});

test('what its target has applied is not told again', async () => {
  const { cluster, node, park, told, isParked } = await apart();
  await using _ = node;
  await park();
  await request(cluster, starting(cluster, ann));
  expect(told()).toEqual(['metadata.unpark', undefined]);
  for (let round = 0; round < 3; round++) {
    cluster.clock.advance(10_000);
    await rest(30);
  }
  expect([isParked(), told()]).toEqual([true, ['metadata.unpark', undefined]]);
});
