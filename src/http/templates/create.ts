import { z } from 'zod';
import type { Json } from '#actors/representation.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { created, defineOperation } from '../operation.ts';
import { name, templateContent, templateSchema } from '../schemas.ts';

export const createTemplate = defineOperation({
  path: '/templates.create',
  summary: 'Keep a message for later use with one source.',
  auth: 'core',
  request: z.object({ name, source: foreignId, content: templateContent }),
  example: { name: 'Greeting', source: 'my-crm', content: { text: 'Good morning!' } },
  responses: { 201: templateSchema },
  errors: [],
  async handle({ commands, newId }, { name, source, content }) {
    const fields = { name, source, content: content as Json };
    const { template } = await commands.send('template', newId(), 'template.create', fields);
    return created(template);
  },
});
