import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageQuery, pageSchema } from '../pagination.ts';
import { apiKeySchema } from './schemas.ts';

const list = 'keys';

export const listKeys = defineRead({
  path: '/keys.list',
  summary: 'List the API keys, newest first, without their texts; those that were revoked too.',
  auth: 'core',
  keys: 'none',
  request: z.object(pageFields),
  example: {},
  responses: { 200: pageSchema(apiKeySchema) },
  errors: ['invalid_cursor'],
  handle: ({ services }, page) => ok(pageBody(list, services.store.apiKeys.page(pageQuery(list, page)))),
});
