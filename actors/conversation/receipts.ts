import { isObject, objectAt } from '../json.ts';
import type { Json, JsonObject } from '../representation.ts';

/** How far a message is, in the words of sources. A failure is the end, whatever is told late. */
const ranks: Record<string, number> = {
  ...{ sent: 1, delivered: 2, read: 3, seen: 3 },
  ...{ failed: 4, undelivered: 4, canceled: 4 },
};

/** 0 for what is no word, null for a word of the source's own. */
function rankOf(state: Json | undefined): number | null {
  if (typeof state !== 'string') return 0;
  return Object.hasOwn(ranks, state.toLowerCase()) ? ranks[state.toLowerCase()]! : null;
}

/** The later of two states is the further one, unless it is known to be behind. */
function further(reached: Json | undefined, state: Json | undefined): Json | undefined {
  const rank = rankOf(state);
  return typeof state === 'string' && (rank === null || rank >= (rankOf(reached) ?? 0)) ? state : reached;
}

const stateIn = (metadata: JsonObject): Json | undefined => objectAt(metadata, 'source')['delivery_state'];

/** Whether a message is known to be as far as `state` already. */
export const isReached = (metadata: JsonObject, state: string): boolean =>
  further(stateIn(metadata), state) !== state || stateIn(metadata) === state;

/**
 * A message's metadata after its source said something, given that before. Receipts may arrive in any order: the
 * delivery state at the source never goes backwards.
 */
export function neverBackwards(before: JsonObject, after: JsonObject, said: readonly JsonObject[]): JsonObject {
  const reached = said.map(stateIn).reduce(further, stateIn(before));
  if (reached === undefined || reached === stateIn(after)) return after;
  const source = isObject(after['source']) ? after['source'] : objectAt(before, 'source');
  return { ...after, source: { ...source, delivery_state: reached } };
}
