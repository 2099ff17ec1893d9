import { z } from 'zod';
import { isObject } from '#actors/json.ts';
import { ownKeysIn } from '#actors/metadata.ts';
import type { Json, JsonObject } from '#actors/representation.ts';

const longestId = 255;

/**
 * Visible characters. Control characters (C0, C1), line separators and marks that turn the direction of text are not: two
 * ids that look alike could be different ones.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const visible = /^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/;
const notVisible = 'must not hold control characters';
const notWhole = 'must hold whole characters';

/** An id that a source or a caller chose: visible, of whole characters. */
export const foreignId = z
  .string()
  .min(1)
  .max(longestId)
  .regex(visible, notVisible)
  .refine((text) => text.isWellFormed(), notWhole);

/** The same as a question, for ids that come from code: what is wrong with it, as a part of a sentence; null: nothing. */
export function foreignIdProblem(id: unknown): string | null {
  if (typeof id !== 'string') return 'must be text';
  if (id.length < 1 || id.length > longestId) return `must be 1 to ${longestId} characters long`;
  if (!visible.test(id)) return notVisible;
  return id.isWellFormed() ? null : notWhole;
}

/** Any JSON value. The body is JSON already, so only presence is checked. */
export const json = z
  .unknown()
  .refine((value) => value !== undefined, 'is required')
  .meta({ description: 'Any JSON value.' });

/** Any JSON object, passed on as it is: a record of the library would leave out a key named `__proto__`. */
export const jsonObject = z
  .unknown()
  .refine((value) => isObject(value as Json), {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be an object'),
    // What is asked of an object is not asked of anything else.
    abort: true,
  })
  .meta({ type: 'object', additionalProperties: {}, description: 'Any JSON object.' }) as z.ZodType<
  Record<string, unknown>
>;

const instantWanted = 'must be epoch milliseconds as a number, or ISO 8601 with Z or an offset';

/** A time as epoch ms or ISO 8601; epoch ms behind it. */
export const instant = z
  .union([z.number(), z.iso.datetime({ offset: true, error: instantWanted })], {
    error: ({ input }) => (input === undefined ? 'is required' : instantWanted),
  })
  .transform((value) => (typeof value === 'number' ? Math.trunc(value) : Date.parse(value)))
  .meta({ oneOf: [{ type: 'number' }, { type: 'string', format: 'date-time' }], description: 'Epoch ms or ISO 8601.' });

/**
 * Keys that the caller chooses, and their values. The validator's record leaves out a key named `__proto__` without a
 * word: here it is refused.
 */
export const recordOf = <K extends z.ZodString, V extends z.ZodType>(key: K, value: V) =>
  z.preprocess(
    (given, context) => {
      if (isObject(given as Json | undefined) && Object.hasOwn(given as object, '__proto__')) {
        context.addIssue({ code: 'custom', path: ['__proto__'], message: 'can not be a key' });
      }
      return given;
    },
    z.record(key, value),
  );

/** For schemas of metadata that a source gives: what the hub keeps itself is refused, key by key. */
export function refuseOwnKeys(metadata: unknown, context: z.RefinementCtx): void {
  // Asked also for what is missing: that is another check's to refuse.
  if (!isObject(metadata as Json | undefined)) return;
  for (const key of ownKeysIn(metadata as JsonObject)) {
    context.addIssue({ code: 'custom', path: [key], message: 'is kept by the hub: a source can not write it' });
  }
}
