import type { FeedPosition } from '#actors/journal/feed.ts';
import type { DeliveryRef } from '#actors/webhook-subscription/contract.ts';

/** An event that was read from the feed for a subscription. */
export interface WindowEntry extends DeliveryRef {
  position: FeedPosition;
  /** Epoch ms at which it was read. */
  readAt: number;
  /**
   * `open`: to be attempted, or being attempted. `decided`: attempted or deferred, to be recorded. `recorded`: in a
   * record that was sent, or in one of an earlier window.
   */
  status: 'open' | 'decided' | 'recorded';
}

/** Entries between the cursor and the last one read, at most. */
export const windowSize = 512;

/**
 * The part of the feed between a subscription's cursor and where reading stands. Lanes come forward at different
 * speeds, so what is recorded has gaps: the cursor stands before the first one, and `ahead` names what is recorded
 * behind it, so that a restart sends nothing again.
 */
export class FeedWindow {
  /** In reading order; the first one is not recorded. */
  #entries: WindowEntry[] = [];
  #cursor: FeedPosition;
  #end: FeedPosition;
  #unrecorded = 0;
  /** Recorded before this window began, and not read yet. */
  readonly #ahead: Set<number>;

  constructor(cursor: FeedPosition, ahead: readonly number[]) {
    this.#cursor = cursor;
    this.#end = cursor;
    this.#ahead = new Set(ahead);
  }

  /** Where reading goes on. */
  get end(): FeedPosition {
    return this.#end;
  }

  /** Entries that may be read yet. */
  get room(): number {
    return windowSize - this.#entries.length;
  }

  /** Entries that are not recorded. */
  get unrecorded(): number {
    return this.#unrecorded;
  }

  /**
   * Takes in what was read; `atEnd`: there is no more for now.
   * @returns the new entries that have to be delivered
   */
  add(
    items: readonly (DeliveryRef & { position: FeedPosition })[],
    end: FeedPosition,
    atEnd: boolean,
    now: number,
  ): WindowEntry[] {
    const fresh: WindowEntry[] = [];
    for (const { feedKey, lane, position } of items) {
      const recorded = this.#ahead.delete(feedKey);
      const entry: WindowEntry = { feedKey, lane, position, readAt: now, status: recorded ? 'recorded' : 'open' };
      this.#entries.push(entry);
      if (!recorded) fresh.push(entry);
    }
    this.#unrecorded += fresh.length;
    this.#end = end;
    // What is named there and not in the feed any more is never read.
    if (atEnd) this.#ahead.clear();
    return fresh;
  }

  /** The entry is in a record. */
  recorded(entry: WindowEntry): void {
    if (entry.status === 'recorded') return;
    entry.status = 'recorded';
    this.#unrecorded--;
  }

  /** Open entries that were read at a time (epoch ms) or before it. */
  openSince(time: number): WindowEntry[] {
    return this.#entries.filter(({ status, readAt }) => status === 'open' && readAt <= time);
  }

  /** Feed keys of an entry and of open ones behind it, at most `limit` in all. */
  keysFrom(entry: WindowEntry, limit: number): number[] {
    const keys = [entry.feedKey];
    for (let i = this.#entries.indexOf(entry) + 1; i < this.#entries.length && keys.length < limit; i++) {
      const { status, feedKey } = this.#entries[i]!;
      if (status === 'open') keys.push(feedKey);
    }
    return keys;
  }

  /** Up to where everything is recorded, and what is recorded beyond that. */
  progress(): { cursor: FeedPosition; ahead: number[] } {
    let passed = 0;
    while (passed < this.#entries.length && this.#entries[passed]!.status === 'recorded') passed++;
    if (passed > 0) {
      this.#cursor = this.#entries[passed - 1]!.position;
      this.#entries = this.#entries.slice(passed);
    }
    if (this.#entries.length === 0) this.#cursor = this.#end;
    const ahead = this.#entries.filter(({ status }) => status === 'recorded').map(({ feedKey }) => feedKey);
    return { cursor: this.#cursor, ahead: [...ahead, ...this.#ahead] };
  }
}
