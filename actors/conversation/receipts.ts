import { isObject, objectAt } from '../json.ts';
import type { Json, JsonObject } from '../representation.ts';

/** How far a message is, in the words of sources. */
const ranks: Record<string, number> = { sent: 1, delivered: 2, read: 3, seen: 3 };

/** 0 for what is no word, null for a word of the source's own. */
function rankOf(state: Json | undefined): number | null {
  if (typeof state !== 'string') return 0;
  return Object.hasOwn(ranks, state.toLowerCase()) ? ranks[state.toLowerCase()]! : null;
}

/** How what is said is put over what was known: in full, or within the bounds of metadata. */
export type Merge = (before: JsonObject, said: JsonObject) => JsonObject;

/**
 * A message's metadata with what its source says of it merged in. Receipts may arrive in any order: the delivery state
 * of the source never goes backwards.
 */
export function withSaid(metadata: JsonObject, said: JsonObject, merge: Merge): JsonObject {
  const after = merge(metadata, said);
  const before = objectAt(metadata, 'source');
  const reached = before['delivery_state'];
  const rank = rankOf(objectAt(after, 'source')['delivery_state']);
  if (reached === undefined || rank === null || rank >= (rankOf(reached) ?? 0)) return after;
  const source = isObject(after['source']) ? after['source'] : before;
  return { ...after, source: { ...source, delivery_state: reached } };
}
