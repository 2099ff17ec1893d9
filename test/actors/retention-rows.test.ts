import { expect, test } from 'vitest';
import type { CommandSender } from '#actors/commands.ts';
import { namespaces } from '#actors/ids.ts';
import { kinds } from '#actors/kinds.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf, silent } from '../_support/actor-system.ts';
import { elapse, expectSound, originOf, rowsOf, turnsOf } from './support.ts';
import { delivered, failed, type Item, Subscriber, subscriberOf, withMessages } from './webhook-support.ts';

const hour = 60 * 60 * 1000;
const key = uuidV5(namespaces.idempotencyKey, 'someone', 'k1');
const answer = { status: 200, body: '{"id":1}', headers: {} };

const outlast = (system: ActorSystem, period: number): Promise<void> => elapse(system, period * 1.125, period / 32);

const claim = (commands: CommandSender, bodyHash = 'h1') =>
  commands.send('idempotency-key', key, 'key.claim', { bodyHash });

test('an idempotency key goes with its last turn, row and all', async () => {
  await using system = new ActorSystem({ retention: { journal: 25 * hour } });
  const commands = system.commands();
  const { generation } = await claim(commands);
  await commands.send('idempotency-key', key, 'key.complete', { generation, answer });
  await elapse(system, 24 * hour - 60_000, hour);
  // Its first turns may go while it is used: then it has a base, as every other actor.
  expect(await claim(commands)).toEqual({ answer, generation });
  await elapse(system, 6 * hour, hour / 2);
  expect(turnsOf(system.file).map(({ type }) => type)).toEqual(['key.claim']);
  expect(rowsOf(system.file)).toMatchObject({ idempotency_key: [{ turns: 3 }], base: [{ turns: 2 }] });
  expectSound(system);
  await outlast(system, 25 * hour);
  expect(rowsOf(system.file)).toMatchObject({ idempotency_key: [], base: [], journal: [] });
  expectSound(system);
});

test('a key that was forgotten is another one, also in memory', async () => {
  await using system = new ActorSystem({ retention: { journal: 25 * hour } });
  const commands = system.commands();
  const first = await claim(commands);
  await commands.send('idempotency-key', key, 'key.complete', { generation: first.generation, answer });
  await outlast(system, 25 * hour);
  const second = await claim(commands, 'h2');
  expect(second.answer).toBeNull();
  // Command ids and message ids follow from the generation: one that was used would name what was done then.
  expect(second.generation).toBeGreaterThan(first.generation);
  await system.restart();
  expect(await claim(system.commands(), 'h2')).toEqual(second);
  expectSound(system);
});

test('a send under a forgotten key is another message', async () => {
  await using system = new ActorSystem({ shards: 4, retention: { journal: 25 * hour } });
  await connectTestChannel(system.commands());
  const id = conversationOf('ann');
  /** As a request with an Idempotency-Key does it. */
  const send = async () => {
    const { generation } = await claim(system.commands());
    const root = `${key} h1 ${generation}`;
    const { message } = await system.commands({ idempotencyKey: root }).send('conversation', id, 'message.send', {
      messageId: uuidV5(namespaces.command, 'id', root, '0'),
      content: { text: 'hello' },
      sender: { id: 'test:agent' },
      origin: originOf('ann'),
    });
    return message!.id;
  };
  const first = await send();
  expect(await send()).toBe(first);
  await outlast(system, 25 * hour);
  const second = await send();
  expect(second).not.toBe(first);
  expect(rowsOf(system.file)).toMatchObject({ message: [{}, {}], dead_letter: [] });
  expectSound(system);
});

test('a delivery that is pruned takes its base along', async () => {
  await using system = new ActorSystem({ retention: { journal: hour, deliveries: 10 * hour } });
  const { subscriber, items } = await withMessages(system, ['1', '2']);
  const [a, b] = items as [Item, Item];
  await subscriber.record([[a, failed]]);
  await subscriber.record([[b, failed]]);
  await subscriber.advance(10_000);
  await subscriber.record([
    [a, delivered],
    [b, delivered],
  ]);
  await elapse(system, 2 * hour, 3 * 60_000);
  const deliveries = rowsOf(system.file).webhook_delivery.map((row) => row['key']);
  expect(rowsOf(system.file).base.map((row) => row['key'])).toEqual(expect.arrayContaining(deliveries));
  await elapse(system, 12 * hour, 3 * 60_000);
  const { webhook_delivery, base, channel, conversation, webhook_subscription } = rowsOf(system.file);
  expect(webhook_delivery).toEqual([]);
  const actors = [...channel, ...conversation, ...webhook_subscription].map((row) => row['key']);
  expect(base.map((row) => row['key']).sort()).toEqual(actors.sort());
  expectSound(system);
});

/** A subscription with so many finished deliveries. */
async function delivering(system: ActorSystem, count: number): Promise<Subscriber> {
  const subscriber = await subscriberOf(system);
  const texts = Array.from({ length: count }, (_, n) => `${n}`);
  await system.commands().send('conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', texts));
  await subscriber.record(subscriber.next().map((item) => [item, delivered]));
  return subscriber;
}

/** The host has some turns, without waits that matter. */
async function soon(system: ActorSystem): Promise<void> {
  await elapse(system, 10_000, 10_000);
  await elapse(system, 400, 20);
}

test('deliveries of a deleted subscription go at once, all of them', async () => {
  await using system = new ActorSystem();
  const subscriber = await delivering(system, 450);
  const other = new Subscriber(system);
  await other.subscribe({ start: [], events: ['message.created'] });
  await other.record(other.next(3).map((item) => [item, delivered]));
  await subscriber.send('webhook.delete');
  await soon(system);
  const { webhook_delivery, webhook_attempt, webhook_subscription } = rowsOf(system.file);
  expect([webhook_delivery.length, webhook_attempt.length]).toEqual([3, 3]);
  expect(webhook_subscription).toMatchObject([
    { deleted: 1, deliveries: 0, signature_key: null, previous_key: null },
    { deleted: 0 },
  ]);
  const turns = turnsOf(system.file).length;
  await soon(system);
  // Nothing is asked for when there is nothing to do.
  expect(turnsOf(system.file)).toHaveLength(turns);
  other.reader.close();
  expectSound(system);
});

test('more finished deliveries than one command takes go soon', async () => {
  await using system = new ActorSystem({ retention: { deliveries: hour } });
  await delivering(system, 650);
  await elapse(system, hour, hour / 32);
  expect(rowsOf(system.file).webhook_delivery).toHaveLength(650);
  await elapse(system, hour / 8, hour / 32);
  await soon(system);
  expect(rowsOf(system.file)).toMatchObject({ webhook_delivery: [], webhook_attempt: [] });
  expect(turnsOf(system.file).filter(({ type }) => type === 'deliveries.prune')).toHaveLength(4);
  expectSound(system);
});

test('a subscription made anew under its id has none of the old', async () => {
  await using system = new ActorSystem();
  const subscriber = await delivering(system, 5);
  const { generation, key: before } = subscriber.work();
  await subscriber.send('webhook.delete');
  await subscriber.subscribe();
  expect(subscriber.statuses()).toEqual([]);
  expect(subscriber.work().generation).toBeGreaterThan(generation);
  expect(subscriber.work().key).not.toBe(before);
  await soon(system);
  expect(rowsOf(system.file)).toMatchObject({ webhook_delivery: [], webhook_subscription: [{ deleted: 0 }] });
  expectSound(system);
});

test('a defect of pruning is told of, and stops nothing else', async () => {
  const said: unknown[] = [];
  const broken = kinds.map((kind) =>
    kind.pruning === undefined
      ? kind
      : {
          ...kind,
          pruning: {
            ...kind.pruning,
            actors: () => () => {
              throw new Error('a defect');
            },
          },
        },
  );
  const logger = { ...silent, error: (fields: unknown, event: string) => void said.push([event, fields]) };
  await using system = new ActorSystem({ kinds: broken, retention: { journal: hour }, logger });
  await connectTestChannel(system.commands());
  await elapse(system, 20_000, 10_000);
  const told = ['retention.failed', { shard: 0, reason: 'a defect' }];
  expect(said).toEqual([told, told]);
  await connectTestChannel(system.commands());
  expect(turnsOf(system.file)).toHaveLength(2);
  expectSound(system);
});
