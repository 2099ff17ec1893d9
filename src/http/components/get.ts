import { z } from 'zod';
import type { JsonObject } from '#actors/representation.ts';
import { jsonObject } from '#src/ingest/fields.ts';
import { defineRead, ok } from '../operation.ts';
import { shownValues } from './fields.ts';

export const getComponents = defineRead({
  path: '/components.get',
  summary: 'The configuration of every source that has one; secrets are masked.',
  auth: 'core',
  request: z.object({}),
  example: {},
  responses: {
    200: z.object({
      components: z.object({ sources: z.record(z.string(), jsonObject).describe('Source → its configuration.') }),
    }),
  },
  errors: [],
  handle: ({ services }) => {
    const configured = services.components().flatMap(({ entry, values }): [string, JsonObject][] => {
      if (entry.path?.[0] !== 'components' || values === null) return [];
      return [[entry.path[2], shownValues(values)]];
    });
    return ok({ components: { sources: Object.fromEntries(configured) } });
  },
});
