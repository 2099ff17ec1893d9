import { z } from 'zod';
import { ownKeysIn } from '#actors/metadata.ts';
import type { JsonObject } from '#actors/representation.ts';

const longestId = 255;

/** An id that a source or a caller chose: visible, without control characters. */
export const foreignId = z
  .string()
  .min(1)
  .max(longestId)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^[^\u0000-\u001f\u007f]+$/, 'must not hold control characters');

/** Any JSON value. The body is JSON already, so only presence is checked. */
export const json = z
  .unknown()
  .refine((value) => value !== undefined, 'is required')
  .meta({ description: 'Any JSON value.' });

export const jsonObject = z.record(z.string(), z.unknown()).meta({ description: 'Any JSON object.' });

/** For schemas of metadata that a source gives: what the hub keeps itself is refused, key by key. */
export function refuseOwnKeys(metadata: object, context: z.RefinementCtx): void {
  for (const key of ownKeysIn(metadata as JsonObject)) {
    context.addIssue({ code: 'custom', path: [key], message: 'is kept by the hub: a source can not write it' });
  }
}
