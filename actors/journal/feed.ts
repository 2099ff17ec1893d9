import type { EventJson, EventType } from '../representation.ts';

/** A position in the feed: the last position read in each shard. Index = shard. */
export type FeedPosition = readonly number[];

/** One event as read from the store. */
export interface FeedEntry {
  readonly event: EventJson;
  /** The event as JSON text: cheaper where it is only passed on. */
  readonly text: string;
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

/** What one read of the feed gives. */
export interface FeedPage {
  /** At most as many as were asked for, and 1 MiB of payloads, but for a single one that is larger. */
  entries: FeedEntry[];
  /** There may be more: the page is full. */
  more: boolean;
}

/** Reads the feed. Synchronous: SQLite in this process. */
export interface FeedReader {
  /**
   * Entries after a position, in an order that keeps each subject's. A position from before the oldest entry that
   * retention has kept is read from that entry on.
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
