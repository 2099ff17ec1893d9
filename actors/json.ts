import type { Json, JsonObject } from './representation.ts';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets an own property, also one named `__proto__`. */
function set(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A new object: the patches over `base`, one after the other. Objects are merged at every depth, arrays and scalars
 * replaced, `null` removes its key.
 */
export function merged(base: JsonObject, ...patches: readonly JsonObject[]): JsonObject {
  const made = new Set<JsonObject>();
  const result = copyOf(base, made);
  for (const patch of patches) mergeInto(result, patch, made);
  return result;
}

/** Changes an object that was made for this, and what it holds only where that was made too: `made`. */
function mergeInto(target: JsonObject, patch: JsonObject, made: Set<JsonObject>): void {
  for (const key of Object.keys(patch)) {
    const value = patch[key]!;
    if (value === null) delete target[key];
    else if (isObject(value)) {
      const before = objectAt(target, key);
      const inner = made.has(before) ? before : copyOf(before, made);
      mergeInto(inner, value, made);
      set(target, key, inner);
    } else set(target, key, value);
  }
}

/** A copy whose inner objects are still those of the original. */
function copyOf(object: JsonObject, made: Set<JsonObject>): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) set(copy, key, object[key]!);
  made.add(copy);
  return copy;
}

/** The object stored under a key, or an empty one. */
export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return isObject(value) ? value : {};
};
