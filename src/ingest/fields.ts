import { z } from 'zod';

const longestId = 255;

/** An id that a source or a caller chose: visible, of whole characters, without control characters. */
export const foreignId = z
  .string()
  .min(1)
  .max(longestId)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^[^\u0000-\u001f\u007f]+$/, 'must not hold control characters')
  .refine((text) => text.isWellFormed(), 'must hold whole characters');

/** Any JSON value. The body is JSON already, so only presence is checked. */
export const json = z
  .unknown()
  .refine((value) => value !== undefined, 'is required')
  .meta({ description: 'Any JSON value.' });

export const jsonObject = z.record(z.string(), z.unknown()).meta({ description: 'Any JSON object.' });
