import { z } from 'zod';
import { defineOperation, ok } from '../operation.ts';
import { sourceSchema } from '../schemas.ts';

export const listSources = defineOperation({
  path: '/sources.list',
  summary: 'List the registered sources, without their tokens.',
  auth: 'core',
  reads: true,
  feature: 'source-api',
  request: z.object({}),
  example: {},
  responses: { 200: z.object({ data: z.array(sourceSchema) }) },
  errors: ['feature_disabled'],
  handle: ({ services }) => ok({ data: services.store.sources.list() }),
});
