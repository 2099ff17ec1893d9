import { z } from 'zod';

const longestId = 255;

/**
 * An id that a source or a caller chose: visible. Control characters (C0, C1), line separators and marks that turn the
 * direction of text are not: two ids that look alike could be different ones.
 */
export const foreignId = z
  .string()
  .min(1)
  .max(longestId)
  .regex(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    /^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+$/,
    'must not hold control characters',
  );

/** Any JSON value. The body is JSON already, so only presence is checked. */
export const json = z
  .unknown()
  .refine((value) => value !== undefined, 'is required')
  .meta({ description: 'Any JSON value.' });

export const jsonObject = z.record(z.string(), z.unknown()).meta({ description: 'Any JSON object.' });
