import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const deleteTag = defineOperation({
  path: '/tags.delete',
  summary: 'Remove a tag: it leaves every conversation.',
  auth: 'core',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.tag },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { id }) {
    await commands.send('tag', id, 'tag.delete', null);
    return empty(204);
  },
});
