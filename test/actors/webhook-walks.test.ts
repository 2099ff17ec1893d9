import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeliveryOutcome } from '#actors/webhook-subscription/contract.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { expectSound, rowsOf } from './support.ts';
import {
  delivered,
  failed,
  gone,
  ingest,
  type Item,
  type Subscriber,
  subscriberOf,
  throttled,
} from './webhook-support.ts';

type Move = (subscriber: Subscriber, items: Item[]) => Promise<unknown>;

const event = fc.nat(5);
const outcome = fc.constantFrom<DeliveryOutcome>(delivered, failed, failed, throttled(9_000), gone, {
  kind: 'expired',
});
const results = fc.array(fc.tuple(event, outcome), { maxLength: 12 });

const moves = fc.oneof(
  fc.tuple(results, fc.array(event), fc.boolean()).map(
    ([done, deferred, caughtUp]): Move =>
      (subscriber, items) =>
        subscriber.record(
          done.map(([n, result]) => [items[n]!, result]),
          { deferred: deferred.map((n) => items[n]!), caughtUp },
        ),
  ),
  fc.constantFrom(1_000, 6_000, 400_000, 11 * 3_600_000).map(
    (ms): Move =>
      (subscriber) =>
        subscriber.advance(ms),
  ),
  event.map(
    (n): Move =>
      (subscriber, items) =>
        subscriber.replay(items[n]!).catch(() => null),
  ),
  fc.boolean().map(
    (resume): Move =>
      (subscriber) =>
        subscriber.subscribe({ resume }),
  ),
  fc.constant<Move>((subscriber) => subscriber.send('webhook.unsubscribe')),
  fc.constant<Move>((subscriber) => subscriber.system.restart()),
);

/** What does not hold of the deliveries in a file; `recorded`: names of deliveries with a row before. */
function problems(system: ActorSystem, recorded: Set<unknown>): string[] {
  const { webhook_delivery, webhook_subscription, timer } = rowsOf(system.file);
  const found: string[] = [];
  const [current] = webhook_subscription.map(({ deliveries }) => deliveries);
  // Those from before a pause belong to nobody and go in time.
  const own = webhook_delivery.filter(({ subscription }) => subscription === current);
  const nameOf = ({ feed_key }: (typeof own)[number]): string => `${current} ${feed_key}`;
  for (const name of recorded) if (!String(name).startsWith(`${current} `)) recorded.delete(name);
  for (const delivery of own) {
    const { key, status, ready } = delivery;
    recorded.delete(nameOf(delivery));
    const timers = timer.filter(({ subject }) => subject === key).length;
    const waits = status === 'scheduled' && ready === 0;
    if (timers !== (waits ? 1 : 0)) found.push(`a delivery that is ${status} and ready ${ready} has ${timers} timers`);
    if (ready === 0 && status !== 'scheduled') found.push(`a ${status} delivery is not ready`);
  }
  if (recorded.size > 0) found.push(`${recorded.size} deliveries are gone`);
  for (const delivery of own) recorded.add(nameOf(delivery));
  for (const { state, value } of webhook_subscription) {
    if (!String(value).includes(`"${state}"`)) found.push(`shows ${state}, its machine ${value}`);
  }
  return found;
}

test('deliveries keep their invariants on random walks', async () => {
  const property = fc.asyncProperty(fc.array(moves, { maxLength: 25 }), async (walk) => {
    await using system = new ActorSystem();
    const subscriber = await subscriberOf(system);
    await ingest(system, 'ann', ['1', '2', '3']);
    await ingest(system, 'bob', ['1', '2', '3']);
    const items = subscriber.next();
    const recorded = new Set<unknown>();
    for (const move of walk) {
      await move(subscriber, items);
      expect(problems(system, recorded)).toEqual([]);
    }
    subscriber.reader.close();
    expect(rowsOf(system.file).dead_letter).toEqual([]);
    expectSound(system);
  });
  await fc.assert(property, { numRuns: 40, seed: 20261121 });
}, 30_000);
