import { deliveryId } from '#actors/ids.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { keysPerShard } from '#actors/store/table.ts';
import type { Receipt } from './receivers.ts';
import type { Subscribed } from './webhook-users.ts';
import type { Seen } from './witness.ts';
import type { World } from './world.ts';
import { itemsOf } from '../_support/pages.ts';

/** What is wrong with what the receivers of webhooks got (docs/architecture.md, "Invariants"). */
export function webhookProblems(world: World, subscribed: readonly Subscribed[]): string[] {
  return subscribed.flatMap((subscription) => {
    const receipts = world.receivers.receipts.get(subscription.receiver) ?? [];
    const problems = [
      ...strangers(world, subscription, receipts),
      ...missing(world, subscription, receipts),
      ...disorder(world, subscription, receipts),
      ...(subscription.replayed ? [] : doubles(world, subscription, receipts)),
    ];
    return problems.map((problem) => `${subscription.receiver}: ${problem}`);
  });
}

const isWanted = ({ types }: Subscribed, { event }: Seen): boolean => (types as readonly string[]).includes(event.type);

/** What came and was not due. */
function strangers(world: World, subscription: Subscribed, receipts: readonly Receipt[]): string[] {
  return receipts.flatMap(({ text }) => {
    const seen = world.witness.byText.get(text);
    if (seen === undefined) return [`an event came that never was: ${text}`];
    // A replay may begin before the subscription did: the cursor of an event that was put off names one shard only.
    const isDue = subscription.replayed || seen.index >= subscription.asked;
    return isWanted(subscription, seen) && isDue ? [] : [`an event came unasked: ${text}`];
  });
}

/** What did not come, is not given up, and could be known. */
function missing(world: World, subscription: Subscribed, receipts: readonly Receipt[]): string[] {
  const taken = new Set(receipts.map(({ text }) => text));
  const dead = new Set(deadOf(world, subscription.id));
  const open = world.witness.seen.slice(subscription.from).filter((seen) => {
    if (!isWanted(subscription, seen) || taken.has(seen.text)) return false;
    return !dead.has(deliveryId(subscription.id, seen.shard * keysPerShard + seen.place));
  });
  return world
    .blameable(open)
    .map(({ event, subject, text }) => `event ${event.seq} of ${subject} is neither delivered nor dead: ${text}`);
}

function deadOf({ store }: World, id: string): string[] {
  return itemsOf(store.webhooks.deliveries(id, { limit: 1_000, from: null }, { status: 'dead' })).map(
    (item) => item.id,
  );
}

/** Events of one subject come in their order, as far as they come for the first time. */
function disorder(world: World, { from }: Subscribed, receipts: readonly Receipt[]): string[] {
  const furthest = new Map<string, number>();
  const known = new Set<string>();
  return receipts.flatMap(({ text }) => {
    const seen = world.witness.byText.get(text);
    if (seen === undefined || seen.index < from || known.has(text)) return [];
    known.add(text);
    const last = furthest.get(seen.subject) ?? 0;
    furthest.set(seen.subject, Math.max(last, seen.event.seq));
    return seen.event.seq > last ? [] : [`event ${seen.event.seq} of ${seen.subject} came after ${last}`];
  });
}

/**
 * An owner that heard that an event was taken never sends it again. What was there before the process, or before it
 * became the owner, is left out: a record of the one before it may come late, and have the event tried once more.
 */
function doubles({ witness, shards }: World, { id }: Subscribed, receipts: readonly Receipt[]): string[] {
  const heard = new Map<string, Receipt>();
  const shard = shardOf(id, shards);
  return receipts.flatMap((receipt) => {
    const tenure = receipt.tenures[shard]!;
    if (tenure.node !== receipt.hub.node) return [];
    const before = heard.get(receipt.text);
    if (receipt.known) heard.set(receipt.text, receipt);
    const at = witness.byText.get(receipt.text)?.at ?? 0;
    const isNew = at >= receipt.hub.since && at >= tenure.since;
    return isNew && before?.hub === receipt.hub && before.tenures[shard] === tenure
      ? [`calls ${before.call} and ${receipt.call} are the same event: ${receipt.text}`]
      : [];
  });
}
