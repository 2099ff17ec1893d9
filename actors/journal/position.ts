import type { FeedEntry, FeedPosition } from './feed.ts';

/** Whether a position is further than another in at least one shard. */
export const isPast = (position: FeedPosition, other: FeedPosition): boolean =>
  position.some((value, shard) => value > (other[shard] ?? 0));

function combine(a: FeedPosition, b: FeedPosition, pick: (x: number, y: number) => number): FeedPosition {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, shard) => pick(a[shard] ?? 0, b[shard] ?? 0));
}

/** The further of two positions in each shard. */
export const later = (a: FeedPosition, b: FeedPosition): FeedPosition => combine(a, b, Math.max);

/** The less far of two positions in each shard. */
export const earlier = (a: FeedPosition, b: FeedPosition): FeedPosition => combine(a, b, Math.min);

/** Whether `reached` covers an entry: only the entry's shard counts, the reading may be behind `reached` in others. */
export const covers = (reached: FeedPosition, { position, shard }: Pick<FeedEntry, 'position' | 'shard'>): boolean =>
  position[shard]! <= (reached[shard] ?? 0);
