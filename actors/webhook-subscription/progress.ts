import type { FeedPosition } from '../journal/feed.ts';
import { keysPerShard } from '../store/table.ts';
import type { SubscriptionRow } from './tables.ts';

/** How far a subscription is in the feed: all up to the cursor is accounted for, and the feed keys in `ahead`. */
export interface Progress {
  cursor: FeedPosition;
  ahead: readonly number[];
}

type Columns = Pick<SubscriptionRow, 'cursor' | 'ahead'>;

/** As it is stored. */
export const progressOf = ({ cursor, ahead }: Columns): Progress => ({
  cursor: JSON.parse(cursor) as FeedPosition,
  ahead: JSON.parse(ahead) as number[],
});

/** As it is to be stored. */
export const columnsOfProgress = ({ cursor, ahead }: Progress): Columns => ({
  cursor: JSON.stringify(cursor),
  ahead: JSON.stringify(ahead),
});

/** Whether an event is delivered, scheduled or dead. */
export const isAccountedFor = ({ cursor, ahead }: Progress, feedKey: number): boolean =>
  isUpTo(cursor, feedKey) || ahead.includes(feedKey);

/** All that either accounts for: two runners, of which one may not know of the other, take nothing back from each other. */
export function joined(mine: Progress, other: Progress): Progress {
  const cursor = mine.cursor.map((place, shard) => Math.max(place, other.cursor[shard] ?? 0));
  const keys = new Set([...mine.ahead, ...other.ahead]);
  return { cursor, ahead: [...keys].filter((key) => !isUpTo(cursor, key)) };
}

const isUpTo = (cursor: FeedPosition, feedKey: number): boolean =>
  feedKey % keysPerShard <= (cursor[Math.floor(feedKey / keysPerShard)] ?? 0);
