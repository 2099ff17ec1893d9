import type { FeedPosition } from '#actors/journal/feed.ts';
import type { DeliveryRef } from '#actors/webhook-subscription/contract.ts';

/** An event that was read from the feed for a subscription. */
export interface WindowEntry extends DeliveryRef {
  position: FeedPosition;
  /** Epoch ms at which it was read. */
  readAt: number;
  /** Its fate is known: it waits to be recorded. */
  decided: boolean;
  /** Its fate is in a record: it was delivered, or it is scheduled, or dead. */
  accounted: boolean;
}

/** Entries between the cursor and the last one read, at most. */
export const windowSize = 512;

/**
 * The part of the feed between a subscription's cursor and what was read last. Lanes come forward at different speeds,
 * so that what is accounted has gaps: the cursor stands before the first one, and `ahead` names what is accounted
 * behind it, so that a restart sends nothing again.
 */
export class FeedWindow {
  /** In reading order; the first one is not accounted. */
  #entries: WindowEntry[] = [];
  #cursor: FeedPosition;
  #end: FeedPosition;
  #open = 0;
  /** Accounted before this window began, and not met yet. */
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

  /** Entries that are not accounted for. */
  get open(): number {
    return this.#open;
  }

  /**
   * Takes in what was read; `dry`: there is no more for now.
   * @returns the new entries that have to be delivered
   */
  add(
    items: readonly (DeliveryRef & { position: FeedPosition })[],
    end: FeedPosition,
    dry: boolean,
    now: number,
  ): WindowEntry[] {
    const fresh: WindowEntry[] = [];
    for (const item of items) {
      const accounted = this.#ahead.delete(item.feedKey);
      const entry: WindowEntry = { ...item, readAt: now, decided: accounted, accounted };
      this.#entries.push(entry);
      if (!entry.accounted) fresh.push(entry);
    }
    this.#open += fresh.length;
    this.#end = end;
    // What is named there and not in the feed any more is not met again.
    if (dry) this.#ahead.clear();
    return fresh;
  }

  account(entry: WindowEntry): void {
    if (entry.accounted) return;
    entry.accounted = true;
    this.#open--;
  }

  /** Entries whose fate is open since a time (epoch ms) or longer. */
  openSince(time: number): WindowEntry[] {
    return this.#entries.filter((entry) => !entry.decided && entry.readAt <= time);
  }

  /** How far everything is accounted for, and what is beyond it. */
  progress(): { cursor: FeedPosition; ahead: number[] } {
    let passed = 0;
    while (passed < this.#entries.length && this.#entries[passed]!.accounted) passed++;
    if (passed > 0) {
      this.#cursor = this.#entries[passed - 1]!.position;
      this.#entries = this.#entries.slice(passed);
    }
    if (this.#entries.length === 0) this.#cursor = this.#end;
    const ahead = this.#entries.filter((entry) => entry.accounted).map((entry) => entry.feedKey);
    return { cursor: this.#cursor, ahead: [...ahead, ...this.#ahead] };
  }
}
