import { Failure } from './errors.ts';
import { merged } from './json.ts';
import type { Json, JsonObject } from './representation.ts';

/** What the metadata of one subject may have when it is stored: bytes of its JSON text, and levels of nesting. */
export const metadataBounds = { bytes: 64 * 1024, levels: 32 } as const;

/**
 * Metadata as it is stored. Every way into the metadata of a Message, a conversation or a channel ends here, in the
 * actor that owns it: without a bound for all of it, many small additions would make every event and every page of
 * the subject large.
 * @throws Failure `metadata_too_large`
 */
export function metadataText(metadata: JsonObject): string {
  const excess = excessOf(metadata);
  if (excess !== null) throw new Failure('metadata_too_large', `Nothing was changed: ${excess}.`);
  return JSON.stringify(metadata);
}

/** Keys of metadata that the hub keeps itself, and what agents say: not for sources to write. */
const ownKeys: ReadonlySet<string> = new Set([
  ...['unread_count', 'state', 'tags', 'isUserTyping'],
  ...['user_data', 'suggestions'],
]);

/** The keys in what a source says that are not its to write. */
export const ownKeysIn = (said: JsonObject): string[] => Object.keys(said).filter((key) => ownKeys.has(key));

/**
 * What is said, one after the other, merged over `before` where nothing may fail: of a message that has reached its
 * source, whatever else the source answers. What is the hub's own or would be too large is left out, and `left_out`
 * says so.
 */
export function mergedWithinBounds(before: JsonObject, ...said: readonly JsonObject[]): JsonObject {
  const own = [...new Set(said.flatMap(ownKeysIn))];
  const others = said.map((words) => Object.fromEntries(Object.entries(words).filter(([key]) => !ownKeys.has(key))));
  // Merging takes steps into every level, so it is not begun for too many.
  const excess = others.map(excessOf).find((problem) => problem !== null);
  if (excess != null) return { ...before, ...leftOut(excess) };
  const after = merged(before, ...others);
  const problem = excessOf(after);
  if (problem !== null) return { ...before, ...leftOut(problem) };
  return own.length === 0 ? after : { ...after, ...leftOut(`${own.join(' and ')} are the hub’s own`) };
}

/** Tells in a message's metadata that something is missing that its source said. @param problem part of a sentence */
export const leftOut = (problem: string): JsonObject => ({ left_out: `What the source said of it: ${problem}.` });

/** Why metadata is too large to be stored, as a part of a sentence; null: it is not. */
export function excessOf(metadata: JsonObject): string | null {
  const { bytes, levels } = metadataBounds;
  // The levels first: the text of what is nested without end can not be made.
  if (!isWithin(metadata, levels)) return `the metadata would be nested deeper than ${levels} levels`;
  const size = Buffer.byteLength(JSON.stringify(metadata));
  return size <= bytes ? null : `the metadata would have ${size} bytes, and at most ${bytes} are kept`;
}

/** Whether a value has at most as many levels of objects and arrays. */
function isWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1));
}
