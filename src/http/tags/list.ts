import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { tagSchema } from '../schemas.ts';

export const listTags = defineRead({
  path: '/tags.list',
  summary: 'List the tags.',
  auth: 'core',
  keys: 'bound',
  request: z.object({}),
  example: {},
  responses: { 200: z.object({ data: z.array(tagSchema) }).describe('All of them, the oldest first.') },
  errors: [],
  handle: ({ services }) => ok({ data: services.store.tags.list() }),
});
