import type { Connection } from '../../store/database.ts';
import { shardOfKey } from '../../store/table.ts';
import { lastKeys } from '../../store/walk-start.ts';
import { edgeOf, type FindPlaces, movedPlaces, type Place } from '../places.ts';
import type { SearchIndex } from './index.ts';
import type { OrdinalSet } from './ordinals.ts';

/** Places in the list of the moment at which a walk began (`placesOf`), of some conversations only. */
export function placesAmong(db: Connection, index: SearchIndex, found: OrdinalSet): FindPlaces {
  const moved = movedPlaces(db);
  return (start, from, backwards, limit) => {
    const sign = backwards ? -1 : 1;
    const edge = from ?? edgeOf(backwards);
    // What was heard of since has a message with a later key: it is no quiet one, whatever the columns still say.
    const loud = new Map(moved(start).map(({ key, at }) => [key, at]));
    const nearest = new Nearest(limit, sign);
    const offer = (at: number, key: number): void => {
      if (sign * (edge.at - at || edge.key - key) > 0) nearest.offer(at, key);
    };
    const quiet = (at: number, key: number): void => {
      if (!loud.has(key)) offer(at, key);
    };
    eachQuiet(index, found, lastKeys(start), quiet);
    for (const [key, at] of loud) if (at !== null && isFound(index, found, key)) offer(at, key);
    return nearest.places;
  };
}

function isFound(index: SearchIndex, found: OrdinalSet, key: number): boolean {
  const ordinal = index.ordinalOf(key);
  return ordinal !== null && ordinal < found.size && found.has(ordinal);
}

/** Those that have been quiet since the walk began are where they were. */
function eachQuiet(
  { columns }: SearchIndex,
  found: OrdinalSet,
  last: readonly number[],
  take: (at: number, key: number) => void,
): void {
  const [messages, times, keys] = [
    columns.numbers('last_message'),
    columns.numbers('last_message_at'),
    columns.numbers('key'),
  ];
  found.each((ordinal) => {
    const message = messages[ordinal]!;
    // Not so where there is no message.
    if (message <= (last[shardOfKey(message)] ?? -1)) take(times[ordinal]!, keys[ordinal]!);
  });
}

/** The first few of many places, in order. */
class Nearest {
  readonly places: Place[] = [];
  readonly #limit: number;
  readonly #sign: 1 | -1;

  /** @param sign -1: against the list's order */
  constructor(limit: number, sign: 1 | -1) {
    this.#limit = limit;
    this.#sign = sign;
  }

  offer(at: number, key: number): void {
    const { places } = this;
    const isFull = places.length === this.#limit;
    if (isFull && !this.#isBefore(at, key, places.at(-1)!)) return;
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(at, key, places[middle]!)) high = middle;
      else low = middle + 1;
    }
    if (isFull) places.pop();
    places.splice(low, 0, { at, key });
  }

  /** The list begins with the newest. */
  #isBefore(at: number, key: number, other: Place): boolean {
    return this.#sign * (at - other.at || key - other.key) > 0;
  }
}
