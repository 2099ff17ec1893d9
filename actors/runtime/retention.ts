import type { HostStore } from '../store/host-store.ts';
import type { Change } from '../store/tables.ts';

/** How long rows are kept, in ms. */
export interface RetentionPolicy {
  feed: number;
  /** Deliveries of webhooks with their attempts, once delivered or dead. Absent: for good. */
  deliveries?: number;
}

/**
 * How long a command id is remembered, in ms: the 24 h of an idempotency key (decisions.md §1), and an hour for
 * commands that were under way when the key expired.
 */
export const inboxLifetime = 25 * 60 * 60 * 1000;

/** Rows of one table and shard that one turn deletes: a few milliseconds. */
const rowsPerTurn = 500;
/** Deliveries of a turn: each takes its attempts along. */
const deliveriesPerTurn = 200;

/** What a turn deletes of a shard. `more`: the turn was full, so the next one should be soon. */
export interface PruningTurn {
  changes: Change[];
  more: boolean;
}

/**
 * Finds the rows that nobody needs any longer: answered command ids, events and deliveries older than the policy keeps,
 * and deliveries of webhooks that were deleted. They are deleted by change records like any other, so that standbys forget the same. History stays whole: a state can only be
 * folded from its first step on.
 */
export class Retention {
  readonly #store: HostStore;
  readonly #policy: RetentionPolicy | null;
  /** Shard → the old delivery looked at last: those that are still scheduled are passed over. */
  readonly #lookedAt = new Map<number, number>();

  /** `policy` null keeps every event. */
  constructor(store: HostStore, policy: RetentionPolicy | null) {
    this.#store = store;
    this.#policy = policy;
  }

  /** `now`: epoch ms. */
  turn(shard: number, now: number): PruningTurn {
    const inbox = this.#store.oldInbox(shard, now - inboxLifetime, rowsPerTurn);
    const feed = this.#policy === null ? [] : this.#store.oldRows('feed', shard, now - this.#policy.feed, rowsPerTurn);
    const deliveries = this.#deliveries(shard, now);
    const changes: Change[] = [
      ...inbox.map((key): Change => ({ table: 'inbox', op: 'delete', key })),
      ...feed.map((key): Change => ({ table: 'feed', op: 'delete', key })),
      ...deliveries.changes,
    ];
    return { changes, more: inbox.length === rowsPerTurn || feed.length === rowsPerTurn || deliveries.more };
  }

  #deliveries(shard: number, now: number): PruningTurn {
    const { webhooks } = this.#store;
    const orphans = webhooks.orphans(shard, deliveriesPerTurn);
    if (orphans.length > 0) return { changes: orphans.flatMap((key) => this.#withAttempts(key)), more: true };
    if (this.#policy?.deliveries === undefined) return { changes: [], more: false };
    const before = now - this.#policy.deliveries;
    const old = webhooks.old(shard, this.#lookedAt.get(shard) ?? 0, before, deliveriesPerTurn);
    const more = old.length === deliveriesPerTurn;
    // At the end of the old ones it begins anew: what was scheduled may have ended meanwhile.
    this.#lookedAt.set(shard, more ? old.at(-1)!.key : 0);
    const finished = old.filter((row) => row.finished);
    return { changes: finished.flatMap(({ key }) => this.#withAttempts(key)), more };
  }

  #withAttempts(delivery: number): Change[] {
    const { attemptsOf, timersOf } = this.#store.webhooks;
    return [
      ...attemptsOf(delivery).map((key): Change => ({ table: 'webhook_attempt', op: 'delete', key })),
      ...timersOf(delivery).map((key): Change => ({ table: 'timer', op: 'delete', key })),
      { table: 'webhook_delivery', op: 'delete', key: delivery },
    ];
  }
}
