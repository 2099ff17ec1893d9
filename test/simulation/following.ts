import type { EventJson, EventType } from '#actors/representation.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import { type Seen, textOf, type Witness } from './witness.ts';

/** The cursor that the sentence of a `cursor_expired` names: the oldest that works. */
export const oldestIn = (sentence: string): string => /works: (\S+)$/.exec(sentence)?.[1] ?? '';

/** Which events a follower wants. Nothing given: all. */
export interface Wish {
  types?: readonly EventType[];
  conversationId?: string;
}

/**
 * What one follower of the feed got, on any transport: every event that it wants once, in the order of each shard, from
 * a position on.
 */
export class Following {
  readonly wish: Wish;
  /** Where it goes on after a break; null: it has got nothing to go on from. */
  cursor: string | null = null;
  /** What came that was not right. */
  readonly problems: string[] = [];
  readonly name: string;
  readonly #witness: Witness;
  readonly #got = new Set<string>();
  /** Of those, what came since it was told to go on elsewhere. */
  readonly #round = new Set<string>();
  readonly #furthest = new Map<number, number>();
  /** All events after it are due; null: not known yet. */
  #from: FeedPosition | null = null;
  #expired: FeedPosition = [];

  constructor(name: string, wish: Wish, witness: Witness) {
    this.name = name;
    this.wish = wish;
    this.#witness = witness;
  }

  /** From here on nothing may be left out. What came before it counts for nothing. */
  begin(from: FeedPosition): void {
    this.#from = from;
    this.#got.clear();
    this.#round.clear();
  }

  get hasBegun(): boolean {
    return this.#from !== null;
  }

  take(event: EventJson): void {
    const seen = this.#witness.byText.get(textOf(event));
    if (seen === undefined) {
      this.#wrong(`an event came that never was: ${JSON.stringify(event)}`);
      return;
    }
    if (!this.#wants(seen)) this.#wrong(`an event came unasked: ${seen.text}`);
    if (this.#round.has(seen.text)) this.#wrong(`an event came twice: ${seen.text}`);
    else if (seen.place < (this.#furthest.get(seen.shard) ?? 0)) this.#wrong(`an event came late: ${seen.text}`);
    this.#furthest.set(seen.shard, seen.place);
    this.#got.add(seen.text);
    this.#round.add(seen.text);
    this.cursor = event.cursor;
  }

  /**
   * The hub said that nothing up to a position is kept, and where it can go on: what has not come by now will not come.
   * In shards in which it was further on, events come again.
   */
  expire(oldest: FeedPosition, cursor: string): void {
    this.#expired = oldest;
    this.cursor = cursor;
    this.#round.clear();
    this.#furthest.clear();
  }

  /** What is due and has not come. */
  missing(): Seen[] {
    const from = this.#from;
    if (from === null) return [];
    return this.#witness.seen.filter((seen) => {
      const isDue = seen.place > Math.max(from[seen.shard] ?? 0, this.#expired[seen.shard] ?? 0);
      return isDue && this.#wants(seen) && !this.#got.has(seen.text);
    });
  }

  #wants({ event, conversationId }: Seen): boolean {
    const { types, conversationId: wanted } = this.wish;
    return (types === undefined || types.includes(event.type)) && (wanted === undefined || wanted === conversationId);
  }

  #wrong(problem: string): void {
    this.problems.push(`${this.name}: ${problem}`);
  }
}
