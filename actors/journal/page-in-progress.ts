import { type FeedEntry, feedPageBounds, type FeedPage, type FeedPosition } from './feed.ts';

/** A page of the feed while it is read: what it holds, where reading stands, and whether a bound is reached. */
export class PageInProgress {
  readonly #limit: number;
  readonly #entries: FeedEntry[] = [];
  #position: FeedPosition;
  #bytes = 0;
  #positions = 0;
  #isCut = false;

  /** @param from where reading begins in each shard */
  constructor(limit: number, from: FeedPosition) {
    this.#limit = limit;
    this.#position = from;
  }

  get position(): FeedPosition {
    return this.#position;
  }

  /** How many more entries it may hold. */
  get room(): number {
    return this.#limit - this.#entries.length;
  }

  get isFull(): boolean {
    return this.#isCut || this.room <= 0 || this.#positions >= feedPageBounds.positions;
  }

  /** Whether an entry of this size still fits; the page is full when not. The first one always does. */
  fits(bytes: number): boolean {
    this.#isCut = this.#entries.length > 0 && this.#bytes + bytes > feedPageBounds.bytes;
    if (!this.#isCut) this.#bytes += bytes;
    return !this.#isCut;
  }

  add(entry: FeedEntry): void {
    this.#position = entry.position;
    this.#entries.push(entry);
  }

  /** Everything of a shard up to a place was looked at, which took so many positions. */
  passed(shard: number, place: number, positions = 0): void {
    this.#positions += positions;
    if (place > this.#position[shard]!) this.#position = this.#position.with(shard, place);
  }

  ended(atEnd: boolean): FeedPage {
    return { entries: this.#entries, position: this.#position, atEnd };
  }
}
