import { isObject } from '#actors/json.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import { foreignIdProblem } from '#src/ingest/fields.ts';

/** What stands in an update, or something to go on with where it is not there: one odd field never loses the rest. */

export const objectOf = (value: unknown): JsonObject =>
  isObject(value as Json | undefined) ? (value as JsonObject) : {};

export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

/** Null: there is no text, or an empty one. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Null: it can not be an id. */
export const idOf = (value: unknown): string | null => (foreignIdProblem(value) === null ? (value as string) : null);

/** Null: it is no address on the web. */
export function webAddressOf(value: unknown): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? (value as string) : null;
}

const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2100, 0, 1);

/** Later than any message: what has this time is taken as sent when it came. */
export const unknownTime = latest;

/** Epoch ms of a time that is a whole number, or its digits. Null: it is none. @param unit in ms */
export function timeOf(value: unknown, unit: number): number | null {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count * unit)) return null;
  const time = count * unit;
  return time >= earliest && time <= latest ? time : null;
}
