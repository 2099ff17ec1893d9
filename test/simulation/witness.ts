import type { EventJson } from '#actors/representation.ts';
import type { FeedEntry, FeedPosition, FeedReader } from '#actors/journal/feed.ts';

import { forgettableIds } from './cast.ts';
import type { VirtualTime } from './virtual-time.ts';

/** An event as it was right after its commit. */
export interface Seen {
  /** How many were seen before it. */
  index: number;
  /** Virtual time of its commit, in ms. */
  at: number;
  /** All that it says, without its cursor: the same on every transport and at any time. */
  text: string;
  event: EventJson;
  /** Whose counter `seq` is. */
  subject: string;
  conversationId: string | null;
  /** Where it stands in the feed: its shard, and its place there. */
  shard: number;
  place: number;
}

/** What an event says, its cursor left out, and of those who may be erased what it says of them. */
export function textOf(event: EventJson): string {
  const { cursor: _, payload, ...about } = event;
  const said = forgettableIds.has(event.subject.id) ? about : { ...about, payload };
  return JSON.stringify(Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a cursor says, whether or not it is still good. */
export function positionOf(cursor: string): FeedPosition {
  const [text = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('~');
  return text.split('.').slice(1).map(Number);
}

const pageSize = 1_000;

/** Sees every event at the moment of its commit, before anything can take it away. */
export class Witness {
  readonly seen: Seen[] = [];
  readonly byText = new Map<string, Seen>();
  /** What was wrong with the feed itself. */
  readonly problems: string[] = [];
  readonly #time: VirtualTime;
  readonly #lastSeq = new Map<string, number>();
  #position: FeedPosition = [];

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** After everything that was seen. */
  get position(): FeedPosition {
    return this.#position;
  }

  /** Reads what is new. Called after each commit, with the feed of the node that made it. */
  look(feed: FeedReader): void {
    for (;;) {
      const { entries, position, atEnd } = feed.read({ after: this.#position, limit: pageSize });
      for (const entry of entries) this.#see(entry);
      this.#position = position;
      if (atEnd) return;
    }
  }

  /** What of all that was seen is still kept. It must say the same as then. */
  kept(feed: FeedReader): Set<Seen> {
    const kept = new Set<Seen>();
    let after: FeedPosition = [];
    for (;;) {
      const { entries, position, atEnd } = feed.read({ after, limit: pageSize });
      for (const { event } of entries) {
        const seen = this.byText.get(textOf(event));
        if (seen === undefined) this.problems.push(`an event has changed: ${JSON.stringify(event)}`);
        else kept.add(seen);
      }
      if (atEnd) return kept;
      after = position;
    }
  }

  #see({ event, position, shard, conversationId }: FeedEntry): void {
    const subject = `${event.subject.type} ${event.subject.id}`;
    const text = textOf(event);
    const where = { shard, place: position[shard]! };
    const seen = { index: this.seen.length, at: this.#time.now(), text, event, subject, conversationId, ...where };
    this.#position = position;
    const wanted = (this.#lastSeq.get(subject) ?? 0) + 1;
    if (event.seq !== wanted) this.problems.push(`event ${event.seq} of ${subject} came where ${wanted} was due`);
    if (conversationId !== null && event.subject.id !== conversationId) {
      this.problems.push(`an event of ${conversationId} says that it is about ${subject}`);
    }
    if (this.byText.has(text)) this.problems.push(`two events say the same: ${text}`);
    this.#lastSeq.set(subject, event.seq);
    this.seen.push(seen);
    this.byText.set(text, seen);
  }
}
