import type { Connection } from '../../store/database.ts';
import { shardOfKey } from '../../store/table.ts';
import { edgeOf, type FindPlaces, lastKeys, movedPlaces, type Place } from '../places.ts';
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
    const offer = (place: Place): void => {
      if (sign * order(edge, place) > 0) nearest.offer(place);
    };
    for (const place of quietPlaces(index, found, lastKeys(start))) if (!loud.has(place.key)) offer(place);
    for (const [key, at] of loud) if (at !== null && isFound(index, found, key)) offer({ at, key });
    return nearest.places;
  };
}

/** Above 0: the second one comes behind the first in the list, which begins with the newest. */
const order = (one: Place, other: Place): number => one.at - other.at || one.key - other.key;

function isFound(index: SearchIndex, found: OrdinalSet, key: number): boolean {
  const ordinal = index.ordinalOf(key);
  return ordinal !== null && ordinal < found.size && found.has(ordinal);
}

/** Those that have been quiet since the walk began are where they were. */
function* quietPlaces({ columns }: SearchIndex, found: OrdinalSet, last: readonly number[]): Iterable<Place> {
  for (const ordinal of found.descending()) {
    const message = columns.number('last_message', ordinal);
    if (message > (last[shardOfKey(message)] ?? -1)) continue;
    if (!Number.isNaN(message)) {
      yield { at: columns.number('last_message_at', ordinal), key: columns.number('key', ordinal) };
    }
  }
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

  offer(place: Place): void {
    const { places } = this;
    const isFull = places.length === this.#limit;
    if (isFull && this.#sign * order(places.at(-1)!, place) > 0) return;
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sign * order(places[middle]!, place) > 0) low = middle + 1;
      else high = middle;
    }
    if (isFull) places.pop();
    places.splice(low, 0, place);
  }
}
