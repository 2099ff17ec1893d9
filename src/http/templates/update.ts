import { z } from 'zod';
import type { Json } from '#actors/representation.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { name, templateContent, templateSchema, uuid } from '../schemas.ts';

export const updateTemplate = defineOperation({
  path: '/templates.update',
  summary: 'Change a template; what is not given stays.',
  auth: 'core',
  request: z.object({
    id: uuid,
    name: name.optional(),
    source: foreignId.optional(),
    content: templateContent.optional(),
  }),
  example: { id: exampleIds.template, content: { text: 'Good evening!' } },
  responses: { 200: templateSchema },
  errors: ['not_found'],
  async handle({ commands }, { id, name, source, content }) {
    const { template } = await commands.send('template', id, 'template.update', {
      ...(name !== undefined && { name }),
      ...(source !== undefined && { source }),
      ...(content !== undefined && { content: content as Json }),
    });
    return ok(template);
  },
});
