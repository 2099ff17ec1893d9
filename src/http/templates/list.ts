import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { defineRead, ok } from '../operation.ts';
import { largePageFields, largePageQuery, pageBody, pageSchema } from '../pagination.ts';
import { templateSchema, text } from '../schemas.ts';

const list = 'templates';

export const listTemplates = defineRead({
  path: '/templates.list',
  summary: 'List the templates of a source, the oldest first.',
  auth: 'core',
  request: z.object({
    ...largePageFields,
    source: foreignId,
    name: text.optional().describe('A part of the name, in upper or lower case.'),
  }),
  example: { source: 'my-crm', name: 'greet' },
  responses: { 200: pageSchema(templateSchema) },
  errors: ['invalid_cursor'],
  handle: ({ services }, { source, name, ...asked }) =>
    ok(pageBody(list, services.store.templates.page(largePageQuery(list, asked), source, name))),
});
