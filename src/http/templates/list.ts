import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { defineRead, ok } from '../operation.ts';
import { templateSchema, text } from '../schemas.ts';

export const listTemplates = defineRead({
  path: '/templates.list',
  summary: 'List the templates of a source.',
  auth: 'core',
  request: z.object({
    source: foreignId,
    name: text.optional().describe('A part of the name, in upper or lower case.'),
  }),
  example: { source: 'my-crm', name: 'greet' },
  responses: { 200: z.object({ data: z.array(templateSchema) }).describe('All of them, the oldest first.') },
  errors: [],
  handle: ({ services }, { source, name }) => ok({ data: services.store.templates.list(source, name) }),
});
