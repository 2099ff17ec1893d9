import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { name, tagColor, uuid } from '../schemas.ts';

export const updateTag = defineOperation({
  path: '/tags.update',
  summary: 'Change the name or the color of a tag.',
  auth: 'core',
  request: z.object({ id: uuid, name: name.optional(), color: tagColor.optional() }),
  example: { id: exampleIds.tag, color: 'tag-blue' },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { id, name, color }) {
    await commands.send('tag', id, 'tag.update', {
      ...(name !== undefined && { name }),
      ...(color !== undefined && { color }),
    });
    return empty(204);
  },
});
