import { Failure, type Problem } from '#actors/errors.ts';
import { mayBeRaw } from '#actors/json.ts';
import { pathOf } from './errors.ts';

/**
 * Refuses numbers that hardly any reader could take, though they could be kept with all their digits.
 * @param value what `text` holds
 * @throws Failure `invalid_request`
 */
export function assertAllFinite(text: string, value: unknown): void {
  if (!mayBeRaw(text)) return;
  const details: Problem[] = [];
  for (const { path, digits } of rawNumbersIn(value)) {
    if (!Number.isFinite(Number(digits))) details.push({ path: pathOf(path), problem: 'is too large for a number' });
  }
  if (details.length === 0) return;
  throw new Failure('invalid_request', 'The body holds a number that is too large: see details.', { details });
}

function* rawNumbersIn(value: unknown, path: PropertyKey[] = []): Generator<{ path: PropertyKey[]; digits: string }> {
  if (JSON.isRawJSON(value)) yield { path, digits: value.rawJSON };
  else if (Array.isArray(value)) for (const [i, inner] of value.entries()) yield* rawNumbersIn(inner, [...path, i]);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* rawNumbersIn(inner, [...path, key]);
  }
}

type Holder = Record<PropertyKey, unknown>;

/**
 * Turns numbers at some paths of a body from their digits into their values, in place: for fields that take a number.
 * @returns whether there was one
 */
export function countedAt(body: unknown, paths: readonly (readonly PropertyKey[])[]): boolean {
  let found = false;
  for (const path of paths) {
    const holder = path.slice(0, -1).reduce<unknown>((value, part) => (value as Holder | undefined)?.[part], body);
    const last = path.at(-1) ?? '';
    const value = (holder as Holder | undefined)?.[last];
    if (!JSON.isRawJSON(value)) continue;
    (holder as Holder)[last] = Number(value.rawJSON);
    found = true;
  }
  return found;
}
