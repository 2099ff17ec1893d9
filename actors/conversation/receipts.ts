import { isObject, objectAt } from '../json.ts';
import type { Json, JsonObject } from '../representation.ts';

/** How far a message is, in the words of sources. */
const ranks: Record<string, number> = { sent: 1, delivered: 2, read: 3, seen: 3 };

/** 0 for what is no word, null for a word of the source's own. */
function rankOf(state: Json | undefined): number | null {
  if (typeof state !== 'string') return 0;
  return Object.hasOwn(ranks, state.toLowerCase()) ? ranks[state.toLowerCase()]! : null;
}

/** Whether a delivery state of the source is behind one that was reached. */
function isBehind(state: Json | undefined, reached: Json | undefined): boolean {
  const rank = rankOf(state);
  return reached !== undefined && rank !== null && rank < (rankOf(reached) ?? 0);
}

/** How what is said is put over what was known: in full, or within the bounds of metadata. */
export type Merge = (before: JsonObject, ...said: readonly JsonObject[]) => JsonObject;

const stateIn = (metadata: JsonObject): Json | undefined => objectAt(metadata, 'source')['delivery_state'];

/**
 * A message's metadata with what its source says of it merged in, all at once: metadata may be large, and what is said
 * many small things. Receipts may arrive in any order: the delivery state of the source never goes backwards.
 */
export function withSaid(metadata: JsonObject, said: readonly JsonObject[], merge: Merge): JsonObject {
  const before = objectAt(metadata, 'source');
  const after = merge(metadata, ...forwards(said, stateIn(metadata)));
  if (!isBehind(stateIn(after), stateIn(metadata))) return after;
  const source = isObject(after['source']) ? after['source'] : before;
  return { ...after, source: { ...source, delivery_state: before['delivery_state']! } };
}

/** What is said, without the delivery states that are behind earlier ones. */
function forwards(said: readonly JsonObject[], reached: Json | undefined): JsonObject[] {
  let furthest = reached;
  return said.map((words) => {
    const state = stateIn(words);
    if (state === undefined) return words;
    if (!isBehind(state, furthest)) {
      furthest = state;
      return words;
    }
    const { delivery_state: _, ...source } = objectAt(words, 'source');
    return { ...words, source };
  });
}
