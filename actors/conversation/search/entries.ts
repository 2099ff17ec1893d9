import { isObject, parseJson } from '../../json.ts';
import type { Json, JsonObject } from '../../representation.ts';

/** What an entry of the metadata's index holds. */
export const entryTypes = {
  /** An object or an array: that something is there. */
  structure: 0,
  /** A text. */
  text: 1,
  /** A number or a boolean, as it is written. */
  written: 2,
  /** The value of a number. */
  number: 3,
} as const;

export interface MetadataEntry {
  path: string;
  type: (typeof entryTypes)[keyof typeof entryTypes];
  value: string | number;
}

/** How a path is written in the index: those below it begin with it, but for its last sign. */
export const pathText = (path: readonly string[]): string => JSON.stringify(path);

/** What can be found of metadata: each of its values, and each element of an array under the array's own path. */
export function* entriesOf(metadata: string): Iterable<MetadataEntry> {
  yield* below([], parseJson(metadata) as JsonObject);
}

function* below(path: readonly string[], object: JsonObject): Iterable<MetadataEntry> {
  for (const [name, value] of Object.entries(object)) {
    const inner = [...path, name];
    const text = pathText(inner);
    if (isObject(value) || Array.isArray(value)) yield { path: text, type: entryTypes.structure, value: '' };
    if (isObject(value)) yield* below(inner, value);
    else for (const scalar of Array.isArray(value) ? value : [value]) yield* scalarEntries(text, scalar);
  }
}

function* scalarEntries(path: string, value: Json): Iterable<MetadataEntry> {
  if (typeof value === 'string') yield { path, type: entryTypes.text, value };
  else if (typeof value === 'boolean') yield { path, type: entryTypes.written, value: String(value) };
  else if (typeof value === 'number' || JSON.isRawJSON(value)) {
    const written = JSON.stringify(value);
    yield { path, type: entryTypes.written, value: written };
    yield { path, type: entryTypes.number, value: Number(written) };
  }
}
