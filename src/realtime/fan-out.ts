import type { EventType } from '#actors/representation.ts';
import type { FeedEntry, FeedPosition, FeedQuery } from '#actors/journal/feed.ts';
import { covers, isPast, later } from '#actors/journal/position.ts';
import type { Services } from '#src/services.ts';
import { EventBytes } from './message.ts';
import { Passes } from './passes.ts';

/** Which events a subscription wants: all, those of one type, or those of one conversation. */
export interface Selection {
  type?: EventType;
  conversationId?: string;
}

/** Where a subscription's events go: one session's socket. */
export interface Sink {
  send(event: EventBytes): void;
  /** Bytes that the network has not taken yet. */
  backlog(): number;
  /** Resolves when the backlog is gone or the socket is closed. */
  drained(): Promise<void>;
  /** The reader is too slow for the live tail: must cancel the subscription. */
  overflow(): void;
  /** The feed cannot be read: must cancel the subscription. */
  broken(error: unknown): void;
}

export interface Subscription {
  /** Where reading can go on without a gap: everything wanted up to here was sent. */
  position(): FeedPosition;
  cancel(): void;
}

export interface FanOut {
  /** From the position on, or from the feed's end as it is now. Never calls the sink before it returns. */
  subscribe(selection: Selection, after: FeedPosition | null, sink: Sink): Subscription;
  close(): void;
}

/** A live subscription with more bytes than this in its socket is given up (docs/api.md, "WebSocket"). */
export const maxBacklog = 1024 * 1024;
/** Catching up waits above this, so that it alone never makes a reader too slow. */
const pauseBacklog = 256 * 1024;
const pageSize = 100;
/** Live events that are older than this, in ms, when they are read come too late. */
const lateAfter = 2_000;
/** Name of the part in health and log. */
const part = 'realtime';
/** Frames sent in one pass of the event loop before others get theirs. */
const sendsPerPass = 1000;

type FanOutServices = Pick<Services, 'clock' | 'feed' | 'log' | 'onGrew' | 'problems' | 'unread'>;

interface Member extends Subscription {
  selection: Selection;
  sink: Sink;
  at: FeedPosition;
  /** True until the tail is past `at`: the member may have some of the tail's next entries already. */
  ahead: boolean;
  cancelled: boolean;
}

const keyOf = ({ type, conversationId }: Selection) =>
  conversationId !== undefined ? `conversation ${conversationId}` : type !== undefined ? `type ${type}` : 'all';

/**
 * Hands the feed to subscriptions. Those at its end share one reading of each new entry and one serialisation; those
 * that resume read pages from their own position until they reach the end, then join.
 */
export function createFanOut(services: FanOutServices): FanOut {
  return new SharedTail(services);
}

class SharedTail implements FanOut {
  readonly #services: FanOutServices;
  readonly #live = new Map<string, Set<Member>>();
  /** Of those who catch up; the tail does not queue behind them. */
  readonly #passes: Passes;
  readonly #stop: () => void;
  /** What all live members were offered; null while there is none. */
  #tail: FeedPosition | null = null;
  #reading = false;
  #grew = false;
  #closed = false;

  constructor(services: FanOutServices) {
    this.#services = services;
    this.#passes = new Passes(services.clock);
    this.#stop = services.onGrew('feed', () => {
      this.#grew = true;
      if (this.#tail && !this.#reading) void this.#readTail();
    });
  }

  subscribe(selection: Selection, after: FeedPosition | null, sink: Sink): Subscription {
    const end = this.#services.feed.end();
    const member: Member = {
      selection,
      sink,
      at: after ?? end,
      ahead: true,
      cancelled: false,
      position: () => (this.#isLive(member) && this.#tail ? later(this.#tail, member.at) : member.at),
      cancel: () => this.#cancel(member),
    };
    if (after) void this.#catchUp(member);
    else this.#join(member, end);
    return member;
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #isLive(member: Member): boolean {
    return this.#live.get(keyOf(member.selection))?.has(member) ?? false;
  }

  /** `end`: a position up to which the member has everything it wants; it may have more, up to its own. */
  #join(member: Member, end: FeedPosition): void {
    const key = keyOf(member.selection);
    const members = this.#live.get(key);
    if (members) members.add(member);
    else this.#live.set(key, new Set([member]));
    this.#tail ??= end;
    if (!this.#reading) void this.#readTail();
  }

  #cancel(member: Member): void {
    member.at = member.position();
    member.cancelled = true;
    const key = keyOf(member.selection);
    const members = this.#live.get(key);
    if (!members?.delete(member) || members.size > 0) return;
    this.#live.delete(key);
    if (this.#live.size === 0) this.#tail = null;
  }

  /**
   * Joins only in the pass of a read that reached the end: whatever the tail has passed by then was committed before
   * that read, so that it was in it; what the read had beyond the tail is skipped by `ahead`.
   */
  async #catchUp(member: Member): Promise<void> {
    const { feed } = this.#services;
    try {
      for (;;) {
        await this.#passes.next();
        if (member.cancelled || this.#closed) return;
        const query = { after: member.at, limit: pageSize, ...selectionQuery(member.selection) };
        const { entries, position, atEnd } = feed.read(query);
        let sent = this.#sendPage(member, entries, 0);
        if (sent === entries.length && atEnd) return this.#join(member, position);
        while (sent < entries.length) {
          await member.sink.drained();
          await this.#passes.next();
          if (member.cancelled || this.#closed) return;
          sent = this.#sendPage(member, entries, sent);
        }
        // Behind what it did not want, too.
        member.at = position;
      }
    } catch (error) {
      if (!member.cancelled) member.sink.broken(error);
    }
  }

  /** Sends from an index on until the page ends or the socket is full. @returns the index of the next entry. */
  #sendPage(member: Member, page: readonly FeedEntry[], from: number): number {
    let index = from;
    for (; index < page.length && !member.cancelled && member.sink.backlog() <= pauseBacklog; index++) {
      const entry = page[index] as FeedEntry;
      member.sink.send(new EventBytes(entry.event));
      member.at = entry.position;
    }
    return index;
  }

  async #readTail(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#grew = false;
        await this.#soon();
        while (!this.#closed && this.#readPage()) await this.#soon();
      } while (this.#grew && this.#tail && !this.#closed);
    } catch (error) {
      const { log, unread } = this.#services;
      if (unread(error) === null) log.error({ error: String(error) }, 'realtime.feed_unreadable');
      for (const member of this.#members()) member.sink.broken(error);
    } finally {
      this.#reading = false;
    }
  }

  #soon(): Promise<void> {
    return new Promise((resolve) => this.#services.clock.soon(resolve));
  }

  /** @returns whether there may be more to read at once. */
  #readPage(): boolean {
    if (!this.#tail) return false;
    const { entries, position, atEnd } = this.#services.feed.read({ after: this.#tail, limit: pageSize });
    let sends = 0;
    for (const entry of entries) {
      if (sends >= sendsPerPass) return true;
      sends += this.#offer(entry);
      if (!this.#tail) return false;
      this.#tail = entry.position;
    }
    this.#tail = position;
    this.#noteDelay(atEnd ? undefined : entries.at(-1));
    return !atEnd;
  }

  /** @param newest what was read last; undefined: there is no more to read */
  #noteDelay(newest: FeedEntry | undefined): void {
    const { clock, problems } = this.#services;
    const delay = newest === undefined ? 0 : clock.now() - newest.event.timestamp;
    if (delay > lateAfter) problems.began(part, `live events come ${Math.round(delay / 1000)} s late`);
    else problems.ended(part);
  }

  /** @returns the number of subscriptions that wanted the entry. */
  #offer(entry: FeedEntry): number {
    const { event, conversationId } = entry;
    const wanting = [this.#live.get(keyOf({})), this.#live.get(keyOf({ type: event.type }))];
    if (conversationId !== null) wanting.push(this.#live.get(keyOf({ conversationId })));
    let shared: EventBytes | null = null;
    let count = 0;
    for (const members of wanting) {
      for (const member of members ?? []) {
        count++;
        if (member.ahead) {
          if (covers(member.at, entry)) continue;
          member.ahead = isPast(member.at, entry.position);
        }
        if (member.sink.backlog() > maxBacklog) member.sink.overflow();
        else if (member.ahead) member.sink.send(this.#ownBytes(member, entry));
        else {
          shared ??= new EventBytes(event);
          member.sink.send(shared);
        }
      }
    }
    return count;
  }

  /** The event with a cursor that keeps what the member has beyond the tail. */
  #ownBytes(member: Member, { event, position }: FeedEntry): EventBytes {
    return new EventBytes({ ...event, cursor: this.#services.feed.encodeCursor(later(member.at, position)) });
  }

  #members(): Member[] {
    return [...this.#live.values()].flatMap((members) => [...members]);
  }
}

const selectionQuery = ({ type, conversationId }: Selection): Pick<FeedQuery, 'types' | 'conversationId'> => ({
  ...(type !== undefined && { types: [type] }),
  ...(conversationId !== undefined && { conversationId }),
});
