import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { EventJson, EventType } from '#actors/representation.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import { Problems } from '#actors/problems.ts';
import { createFanOut, maxBacklog, type Selection, type Sink, type Subscription } from '#src/realtime/fan-out.ts';
import { systemClock } from '#src/runtime/system.ts';
import { MemoryFeed } from './memory-feed.ts';
import { ManualClock } from '../_support/manual-clock.ts';
import { healthy, quietLog } from './support.ts';

const types: EventType[] = ['message.created', 'conversation.updated'];
const conversations = ['a', 'b'];

class Reader implements Sink {
  readonly events: EventJson[] = [];
  subscription: Subscription | undefined;
  pending = 0;
  release: () => void = () => {};
  overflows = 0;
  failure: unknown;

  send({ rest }: { rest: Buffer }): void {
    const text = rest.toString();
    this.events.push(JSON.parse(text.slice(text.indexOf('{'), -1)));
  }
  backlog(): number {
    return this.pending;
  }
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.release = () => {
        this.pending = 0;
        resolve();
      };
    });
  }
  overflow(): void {
    this.overflows++;
    this.subscription?.cancel();
  }
  broken(error: unknown): void {
    this.failure = error;
    this.subscription?.cancel();
  }
}

const fanOutOf = (feed: MemoryFeed) =>
  createFanOut({ clock: systemClock, feed, log: quietLog, onGrew: feed.onGrew, ...healthy });

const wants = ({ type, conversationId }: Selection, event: EventJson) =>
  (type === undefined || event.type === type) &&
  (conversationId === undefined || event.payload['in'] === conversationId);

const wantedAfter = (feed: MemoryFeed, after: FeedPosition, selection: Selection) =>
  feed.read({ after, limit: Infinity }).entries.flatMap(({ event }) => (wants(selection, event) ? [event] : []));

/** The order of events is the feed's within a shard and free between shards. */
const byShard = (events: EventJson[]) =>
  events.map(({ seq, payload }) => [payload['shard'], seq] as [number, number]).sort(([a], [b]) => a - b);

const addEvents = (feed: MemoryFeed, count: number) => {
  for (let index = 0; index < count; index++) feed.add('message.created', 'a', { in: 'a' });
};

const selection: fc.Arbitrary<Selection> = fc.oneof(
  fc.constant({}),
  fc.constantFrom(...types).map((type) => ({ type })),
  fc.constantFrom(...conversations).map((conversationId) => ({ conversationId })),
);
const addition = fc.record({
  type: fc.constantFrom(...types),
  conversation: fc.constantFrom(...conversations),
  shard: fc.nat({ max: 2 }),
  /** A turn without events follows it. */
  skips: fc.boolean(),
});

describe('fan-out', () => {
  it('gives each subscription each event once, in order', { timeout: 20_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(addition, { maxLength: 250 }),
        fc.array(fc.record({ selection, resumes: fc.boolean() }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.array(addition, { maxLength: 3 }), { maxLength: 60 }),
        async (before, wanted, during) => {
          const feed = new MemoryFeed(3);
          const add = ({ type, conversation, shard, skips }: (typeof before)[number]) => {
            feed.add(type, conversation, { in: conversation, shard }, shard);
            if (skips) feed.skip(shard);
          };
          before.forEach(add);
          const start = feed.end().map((end) => Math.floor(end / 2));
          const commits = [...during];
          feed.beforeLook = () => {
            const commit = commits.shift();
            if (!commit) return;
            commit.forEach(add);
            queueMicrotask(() => feed.announce());
          };
          const fanOut = fanOutOf(feed);
          const readers = wanted.map(({ selection: chosen, resumes }) => {
            const reader = new Reader();
            const from = resumes ? start : null;
            reader.subscription = fanOut.subscribe(chosen, from, reader);
            return { reader, chosen, from: reader.subscription.position() };
          });
          while (commits.length > 0) {
            commits.shift()?.forEach(add);
            feed.announce();
            await new Promise(setImmediate);
          }
          await vi.waitFor(
            () => {
              for (const { reader, chosen, from } of readers) {
                expect(byShard(reader.events)).toEqual(byShard(wantedAfter(feed, from, chosen)));
              }
            },
            { interval: 1, timeout: 5000 },
          );
          for (const { reader, chosen } of readers) {
            reader.events.forEach((event, index) => {
              const left = wantedAfter(feed, feed.decodeCursor(event.cursor), chosen);
              expect(byShard(left)).toEqual(byShard(reader.events.slice(index + 1)));
            });
          }
          fanOut.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives an event whose shard is not the one that is cut', async () => {
    const feed = new MemoryFeed(2);
    const fanOut = fanOutOf(feed);
    const [early, late] = [new Reader(), new Reader()];
    fanOut.subscribe({}, null, early);
    feed.skip(1);
    fanOut.subscribe({}, null, late);
    feed.cut(1);
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(early.events).toHaveLength(1));
    expect(late.events).toHaveLength(1);
    fanOut.close();
  });

  it('reads and serialises a new event once for all', async () => {
    const feed = new MemoryFeed();
    const fanOut = fanOutOf(feed);
    const sent: Buffer[] = [];
    const sink = (): Sink => ({
      send: ({ rest }) => void sent.push(rest),
      backlog: () => 0,
      drained: async () => {},
      overflow: () => {},
      broken: () => {},
    });
    for (let index = 0; index < 20; index++) fanOut.subscribe({}, null, sink());
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(sent.length).toBe(20));
    const reads = feed.reads;
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(sent.length).toBe(40));
    expect(feed.reads).toBe(reads + 1);
    expect(new Set(sent.slice(20)).size).toBe(1);
  });

  it('does not read while nobody is subscribed', async () => {
    const feed = new MemoryFeed();
    const fanOut = fanOutOf(feed);
    const reader = new Reader();
    reader.subscription = fanOut.subscribe({}, null, reader);
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(reader.events.length).toBe(1));
    reader.subscription.cancel();
    const reads = feed.reads;
    feed.append('message.created', 'a');
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(feed.reads).toBe(reads);
    expect(reader.events.length).toBe(1);
  });

  it('pauses catching up while the socket is full', async () => {
    const feed = new MemoryFeed();
    addEvents(feed, 300);
    const reader = new Reader();
    const send = reader.send.bind(reader);
    reader.send = (event) => {
      send(event);
      if (reader.events.length === 150) reader.pending = maxBacklog;
    };
    const drained = vi.spyOn(reader, 'drained');
    reader.subscription = fanOutOf(feed).subscribe({}, [0], reader);
    await vi.waitFor(() => expect(drained).toHaveBeenCalledOnce());
    addEvents(feed, 10);
    feed.announce();
    expect(reader.events.length).toBe(150);
    expect(reader.subscription.position()).toEqual([150]);
    reader.release();
    await vi.waitFor(() => expect(reader.events.length).toBe(310));
    expect(reader.overflows).toBe(0);
  });

  it('joins the live tail at the end, however far that is', async () => {
    const feed = new MemoryFeed();
    addEvents(feed, 250);
    const fanOut = fanOutOf(feed);
    // Somebody who is there keeps the tail at the end.
    fanOut.subscribe({}, null, new Reader());
    const reader = new Reader();
    reader.subscription = fanOut.subscribe({}, [0], reader);
    await vi.waitFor(() => expect(reader.events.length).toBe(250));
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(reader.events.length).toBe(251));
    expect(reader.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 251 }, (_, index) => index + 1));
  });

  it('gives a slow live reader up at its position', async () => {
    const feed = new MemoryFeed();
    const reader = new Reader();
    const other = new Reader();
    const fanOut = fanOutOf(feed);
    reader.subscription = fanOut.subscribe({}, null, reader);
    other.subscription = fanOut.subscribe({}, null, other);
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(reader.events.length).toBe(1));
    reader.pending = maxBacklog + 1;
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(other.events.length).toBe(2));
    expect(reader.overflows).toBe(1);
    expect(reader.events.length).toBe(1);
    expect(reader.subscription.position()).toEqual([1]);
  });

  it('tells its subscriptions when the feed is unreadable', async () => {
    const feed = new MemoryFeed();
    const fanOut = fanOutOf(feed);
    const live = new Reader();
    live.subscription = fanOut.subscribe({}, null, live);
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(live.events.length).toBe(1));
    const disk = new Error('disk');
    feed.beforeLook = () => {
      throw disk;
    };
    feed.append('message.created', 'a');
    await vi.waitFor(() => expect(live.failure).toBe(disk));
    feed.beforeLook = () => {};
    const resuming = new Reader();
    resuming.subscription = fanOut.subscribe({}, [0], resuming);
    feed.beforeLook = () => {
      throw disk;
    };
    await vi.waitFor(() => expect(resuming.failure).toBe(disk));
  });

  it('says while live events come late', async () => {
    const feed = new MemoryFeed();
    const clock = new ManualClock(10_000);
    const problems = new Problems(quietLog);
    const services = { clock, feed, log: quietLog, onGrew: feed.onGrew, unread: () => null };
    const fanOut = createFanOut({ ...services, problems });
    const reader = new Reader();
    fanOut.subscribe({}, null, reader);
    const heard: (string | undefined)[] = [];
    feed.beforeLook = () => heard.push(problems.list()[0]?.problem);
    addEvents(feed, 250);
    feed.announce();
    await vi.waitFor(() => expect(reader.events).toHaveLength(250));
    expect(heard).toContain('live events come 10 s late');
    expect(problems.list()).toEqual([]);
    fanOut.close();
  });
});
