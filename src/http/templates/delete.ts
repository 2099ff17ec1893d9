import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const deleteTemplate = defineOperation({
  path: '/templates.delete',
  summary: 'Remove a template.',
  auth: 'core',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.template },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { id }) {
    await commands.send('template', id, 'template.delete', null);
    return empty(204);
  },
});
