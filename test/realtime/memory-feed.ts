import type { EventJson, EventSubject, EventType, JsonObject } from '#actors/representation.ts';
import { Failure } from '#actors/errors.ts';
import type { Cancel } from '#actors/ports.ts';
import type { Growing } from '#actors/runtime/signal.ts';
import type { FeedEntry, FeedPage, FeedPosition, FeedQuery, FeedReader } from '#actors/journal/feed.ts';

interface Row {
  shard: number;
  place: number;
  event: Omit<EventJson, 'cursor'>;
  conversationId: string | null;
}

/** A feed in memory with the contract of the store's. A read gives one shard after the other: the worst allowed order. */
export class MemoryFeed implements FeedReader {
  readonly #rows: Row[] = [];
  readonly #ends: number[];
  readonly #starts: number[];
  readonly #listeners = new Set<() => void>();
  reads = 0;
  /** Called before each look at the feed: what a commit between two looks does. */
  beforeLook: () => void = () => {};

  constructor(shards = 1) {
    this.#ends = Array.from({ length: shards }, () => 0);
    this.#starts = Array.from({ length: shards }, () => 0);
  }

  /** Adds an event without saying so. `seq` counts all events, so that a test sees gaps and repeats. */
  add(type: EventType, conversationId: string | null, payload: JsonObject = {}, shard = 0): void {
    const place = (this.#ends[shard] as number) + 1;
    this.#ends[shard] = place;
    const seq = this.#rows.length + 1;
    const subject: EventSubject =
      conversationId === null ? { type: 'channel', id: 'c' } : { type: 'conversation', id: conversationId };
    this.#rows.push({ shard, place, event: { type, subject, payload, timestamp: 1, seq }, conversationId });
  }

  /** Takes a position that no event has. */
  skip(shard = 0): void {
    this.#ends[shard] = (this.#ends[shard] as number) + 1;
  }

  /** Forgets all that a shard has. */
  cut(shard: number): void {
    this.#starts[shard] = this.#ends[shard] as number;
  }

  announce(): void {
    for (const run of this.#listeners) run();
  }

  append(type: EventType, conversationId: string | null, payload: JsonObject = {}): void {
    this.add(type, conversationId, payload);
    this.announce();
  }

  readonly onGrew = (what: Growing, run: () => void): Cancel => {
    if (what === 'feed') this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  };

  read({ after, limit, types, conversationId }: FeedQuery): FeedPage {
    this.beforeLook();
    this.reads++;
    const entries: FeedEntry[] = [];
    let position: FeedPosition = this.#starts.map((start, shard) => Math.max(start, after[shard] ?? 0));
    const rows = this.#rows.slice(this.#firstAfter(after));
    for (const [shard, end] of this.#ends.entries()) {
      for (const row of rows) {
        if (row.shard !== shard || row.place <= position[shard]!) continue;
        if (types && !types.includes(row.event.type)) continue;
        if (conversationId !== undefined && row.conversationId !== conversationId) continue;
        position = position.with(shard, row.place);
        const event = { ...row.event, cursor: this.encodeCursor(position) };
        entries.push({ event, text: JSON.stringify(event), position, shard, conversationId: row.conversationId });
        if (entries.length === limit) return { entries, position, atEnd: false };
      }
      position = position.with(shard, end);
    }
    return { entries, position, atEnd: true };
  }

  end(): FeedPosition {
    this.beforeLook();
    return [...this.#ends];
  }

  start(): FeedPosition {
    return [...this.#starts];
  }

  encodeCursor(position: FeedPosition): string {
    return Buffer.from(JSON.stringify(position)).toString('base64url');
  }

  decodeCursor(cursor: string): FeedPosition {
    try {
      return JSON.parse(Buffer.from(cursor, 'base64url').toString());
    } catch {
      throw new Failure('invalid_cursor', 'The cursor cannot be read.');
    }
  }

  /** With one shard, and no position skipped, the place is the index. */
  #firstAfter(after: FeedPosition): number {
    return this.#ends.length === 1 && this.#ends[0] === this.#rows.length ? (after[0] ?? 0) : 0;
  }
}
