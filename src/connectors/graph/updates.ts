import { isObject } from '#actors/json.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import { objectIn } from '../outcome.ts';

/**
 * The single updates of a body `{object, entry: […]}`, each with an envelope of its own. The body is parsed once.
 * @param partsOf what each part of an entry would be alone
 */
export function splitEntries(body: Uint8Array, partsOf: (entry: JsonObject) => readonly Json[]): readonly string[] {
  const text = Buffer.from(body).toString();
  const { entry, ...envelope } = objectIn(text);
  const entries: readonly Json[] = Array.isArray(entry) ? entry : [];
  const parts = entries.flatMap((one) => (isObject(one) ? partsOf(one) : [one]));
  return parts.length > 1 ? parts.map((part) => JSON.stringify({ ...envelope, entry: [part] })) : [text];
}

/** An object once for each item of its lists, with that item alone; without items it is one part, as it is. */
export function splitLists(object: JsonObject, names: readonly string[]): JsonObject[] {
  const lists = names.filter((name) => Array.isArray(object[name]));
  const rest = Object.fromEntries(Object.entries(object).filter(([name]) => !lists.includes(name)));
  const parts = lists.flatMap((name) => (object[name] as Json[]).map((item) => ({ ...rest, [name]: [item] })));
  return parts.length > 0 ? parts : [object];
}
