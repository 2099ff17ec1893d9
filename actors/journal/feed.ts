import type { EventJson, EventType } from '../representation.ts';

/** A position in the feed: the last position read in each shard. Index = shard. */
export type FeedPosition = readonly number[];

/** One event as read from the store. */
export interface FeedEntry {
  readonly event: EventJson;
  /** The event as JSON text: cheaper where it is only passed on. */
  readonly text: string;
  /** Where it stands: its place there is that of `position`, which may have moved on in other shards too. */
  readonly shard: number;
  /** The position right after this entry. */
  readonly position: FeedPosition;
  /** The conversation the event is about, null for channel events. */
  readonly conversationId: string | null;
}

export interface FeedQuery {
  after: FeedPosition;
  limit: number;
  types?: readonly EventType[];
  conversationId?: string;
}

/** What one read found. */
export interface FeedPage {
  entries: FeedEntry[];
  /** Where to read on: everything up to here that was wanted is in `entries`. */
  position: FeedPosition;
  /** There was nothing more. False also where a bound ended the read: then there may be. */
  atEnd: boolean;
}

/** Bounds of one read: bytes of payloads that it holds (but for a single larger one), and positions that it looks at. */
export const feedPageBounds = { bytes: 1024 * 1024, positions: 10_000 } as const;

/** Reads the feed. Synchronous: SQLite in this process. */
export interface FeedReader {
  /**
   * Entries after a position, at most `limit` and within `feedPageBounds`, in an order that keeps each subject's; every
   * shard has its share. A position from before the oldest entry that retention has kept is read from that entry on.
   */
  read(query: FeedQuery): FeedPage;
  /** The position after everything that has been written in every shard. */
  end(): FeedPosition;
  /** The position before the oldest event that is kept in every shard. */
  start(): FeedPosition;
  /** Opaque text of a position: base64url, checked. It names its instance. */
  encodeCursor(position: FeedPosition): string;
  /** @throws Failure `invalid_cursor`, `cursor_expired` */
  decodeCursor(cursor: string): FeedPosition;
}
