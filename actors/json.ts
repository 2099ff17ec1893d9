import type { Json, JsonObject } from './representation.ts';

declare global {
  /** ECMA-262, "JSON.parse source text access": not in TypeScript's library yet. */
  interface JSON {
    /** What `stringify` writes as this text. */
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
    parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): unknown;
  }
}

/** A number by its digits: one that a double does not hold exactly, or that was written otherwise (`1.10`). */
export interface RawJson {
  readonly rawJSON: string;
}

/** Text in which a number may stand that `JSON.stringify` would write otherwise: long, with a point, an exponent, `-0`. */
const mayHoldRaw = /(?:^|[:[,])\s*(?:-0(?:[\s,\]}]|$)|-?(?:\d{16}|\d+[.eE]))/;

/** Whether parsing a text may give a `RawJson`; of most texts it is known at once that it does not. */
export const mayBeRaw = (text: string): boolean => mayHoldRaw.test(text);

/**
 * Parses JSON that comes from outside, or was stored from there: a number whose digits a double would change comes as
 * `RawJson`, so that `JSON.stringify` writes it as it was given.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!mayBeRaw(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value,
  );
}

/** JSON text of a value: what is stored as text is not read only to be written again. */
export class JsonText<T> {
  readonly text: string;
  /** Never there: it ties the text to the type of what it says. */
  declare readonly of?: T;

  constructor(text: string) {
    this.text = text;
  }
}

export const jsonText = <T>(value: T): JsonText<T> => new JsonText(JSON.stringify(value));

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

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
