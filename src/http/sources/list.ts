import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { sourceSchema } from '../schemas.ts';

export const listSources = defineRead({
  path: '/sources.list',
  summary: 'List the registered sources, without their tokens.',
  auth: 'core',
  keys: 'bound',
  feature: 'source-api',
  request: z.object({}),
  example: {},
  responses: { 200: z.object({ data: z.array(sourceSchema) }).describe('All of them.') },
  errors: ['feature_disabled'],
  handle: ({ services }) => ok({ data: services.store.sources.list() }),
});
