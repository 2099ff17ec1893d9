import type { Json, JsonObject } from './representation.ts';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets an own property, also one named `__proto__`. */
function set(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A new object: `patch` over `base`, objects merged at every depth, arrays and scalars replaced, `null` removes its key.
 */
export function merged(base: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(base)) set(result, key, base[key]!);
  for (const key of Object.keys(patch)) {
    const value = patch[key]!;
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    if (value === null) delete result[key];
    else if (isObject(value)) set(result, key, merged(isObject(before) ? before : {}, value));
    else set(result, key, value);
  }
  return result;
}

/** The object stored under a key, or an empty one. */
export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return isObject(value) ? value : {};
};
