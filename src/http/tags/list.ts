import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { largePageFields, largePageQuery, pageBody, pageSchema } from '../pagination.ts';
import { tagSchema } from '../schemas.ts';

const list = 'tags';

export const listTags = defineRead({
  path: '/tags.list',
  summary: 'List the tags, the oldest first.',
  auth: 'core',
  keys: 'bound',
  request: z.object(largePageFields),
  example: {},
  responses: { 200: pageSchema(tagSchema) },
  errors: ['invalid_cursor'],
  handle: ({ services }, asked) => ok(pageBody(list, services.store.tags.page(largePageQuery(list, asked)))),
});
