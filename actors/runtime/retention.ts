import type { HostStore } from '../store/host-store.ts';
import type { Change } from '../store/tables.ts';

/** How long rows are kept, in ms. */
export interface RetentionPolicy {
  feed: number;
}

/**
 * How long a command id is remembered, in ms: the 24 h of an idempotency key (decisions.md §1), and an hour for
 * commands that were under way when the key expired.
 */
export const inboxLifetime = 25 * 60 * 60 * 1000;

/** Rows of one table and shard that one turn deletes: a few milliseconds. */
const rowsPerTurn = 500;

/** What a turn deletes of a shard. `more`: the turn was full, so the next one should be soon. */
export interface PruningTurn {
  changes: Change[];
  more: boolean;
}

/**
 * Finds the rows that nobody needs any longer: answered command ids, and events older than the policy keeps. They are
 * deleted by change records like any other, so that standbys forget the same. History stays whole: a state can only be
 * folded from its first step on.
 */
export class Retention {
  readonly #store: HostStore;
  readonly #policy: RetentionPolicy | null;

  /** `policy` null keeps every event. */
  constructor(store: HostStore, policy: RetentionPolicy | null) {
    this.#store = store;
    this.#policy = policy;
  }

  /** `now`: epoch ms. */
  turn(shard: number, now: number): PruningTurn {
    const inbox = this.#store.oldInbox(shard, now - inboxLifetime, rowsPerTurn);
    const feed = this.#policy === null ? [] : this.#store.oldRows('feed', shard, now - this.#policy.feed, rowsPerTurn);
    const changes: Change[] = [
      ...inbox.map((key): Change => ({ table: 'inbox', op: 'delete', key })),
      ...feed.map((key): Change => ({ table: 'feed', op: 'delete', key })),
    ];
    return { changes, more: inbox.length === rowsPerTurn || feed.length === rowsPerTurn };
  }
}
