import type { Mutant } from '../mutant.ts';

const feed = 'test/actors/journal/feed.test.ts';
const cursor = 'test/actors/journal/cursor.test.ts';
const readers = 'test/actors/readers.test.ts';

/** Places in the feed and in lists. */
export const cursors: readonly Mutant[] = [
  {
    name: 'next-cursor-past-what-waits',
    file: 'src/http/events/list.ts',
    from: 'feed.encodeCursor(position)',
    to: 'feed.encodeCursor(feed.end())',
    breaks: 'who reads the feed in pages misses what did not fit into the first',
    caughtBy: { file: 'test/http/events.test.ts', title: 'gives every event once, in pages' },
  },
  {
    name: 'next-cursor-stays-at-a-filter',
    file: 'src/http/events/list.ts',
    from: 'feed.encodeCursor(position)',
    to: 'feed.encodeCursor(entries.at(-1)?.position ?? from)',
    breaks: 'every question for a rare type reads the feed from the beginning',
    caughtBy: { file: 'test/http/events.test.ts', title: 'leaves behind what is none' },
  },
  {
    name: 'subject-of-another-kind',
    file: 'actors/journal/render.ts',
    from: "type: name as EventSubject['type']",
    to: "type: 'conversation' as EventSubject['type']",
    breaks: 'a client counts the events of a channel as those of a conversation',
    caughtBy: { file: feed, title: 'an event names whose number it has, as value and text' },
  },
  {
    name: 'cursor-of-another-instance-taken',
    file: 'actors/journal/cursor.ts',
    from: 'if (name !== instance.slice(0, instanceLength)) {',
    to: "if (name === '') {",
    breaks: 'a consumer goes on at a place that means other events',
    caughtBy: { file: cursor, title: 'a cursor of another instance is refused, however like it is' },
  },
  {
    name: 'cursor-past-the-end-taken',
    file: 'actors/journal/cursor.ts',
    from: 'at > end[shard]!',
    to: 'at > end[shard]! + 1e9',
    breaks: 'after a restore a consumer skips new events',
    caughtBy: { file: cursor, title: 'a restored copy knows its cursors, not those given later' },
  },
  {
    name: 'expired-cursor-taken',
    file: 'actors/journal/cursor.ts',
    from: 'at < start[shard]!',
    to: 'at < 0',
    breaks: 'a consumer that is too late gets a silent gap',
    caughtBy: { file: 'test/actors/retention-year.test.ts', title: 'a cursor from before what is kept has expired' },
  },
  {
    name: 'event-inside-a-turn-skipped',
    file: 'actors/journal/feed-reader.ts',
    from: 'const isWanted = at > after &&',
    to: 'const isWanted = row.key - base > after &&',
    breaks: 'who stops between two events of a turn misses the second',
    caughtBy: { file: feed, title: 'small reads see every event once' },
  },
  {
    name: 'page-skips-at-equal-times',
    file: 'actors/conversation/message-reader.ts',
    from: '(sent_at, key) > (?, ?) ORDER BY sent_at, key LIMIT ?',
    to: 'sent_at > ? AND ? IS NOT NULL ORDER BY sent_at, key LIMIT ?',
    breaks: 'of messages of one moment a page shows only some',
    caughtBy: { file: readers, title: 'messages of one moment have a fixed order' },
  },
  {
    name: 'page-repeats-its-edge',
    file: 'actors/store/page.ts',
    from: 'const last = taken.at(-1)?.key;',
    to: 'const last = taken.at(-2)?.key;',
    breaks: 'a page ends with an item which the next one has as well',
    caughtBy: { file: readers, title: 'leads back to the one before' },
  },
  {
    name: 'moved-conversation-not-met',
    file: 'actors/conversation/places.ts',
    from: 'UNION ALL SELECT * FROM moved WHERE (at, key)',
    to: 'UNION ALL SELECT * FROM moved WHERE 0 AND (at, key)',
    breaks: 'a conversation that something was said in while the list is walked is passed over',
    caughtBy: { file: 'test/actors/conversation-walks.test.ts', title: 'is still to come is met once' },
  },
  {
    name: 'cursor-of-another-list-taken',
    file: 'src/http/pagination.ts',
    from: 'sum === checksum(text) && name === list &&',
    to: 'sum === checksum(text) &&',
    breaks: 'a cursor of one list goes on somewhere in another',
    caughtBy: { file: 'test/http/pagination.test.ts', title: 'refuses a cursor of another list' },
  },
];
