import { z } from 'zod';
import { created, defineOperation } from '../operation.ts';
import { name, tagColor, tagSchema } from '../schemas.ts';

export const createTag = defineOperation({
  path: '/tags.create',
  summary: 'Make a tag.',
  auth: 'core',
  request: z.object({ name, color: tagColor }),
  example: { name: 'Urgent', color: 'tag-red' },
  responses: { 201: tagSchema },
  errors: [],
  async handle({ commands, newId }, body) {
    const { tag } = await commands.send('tag', newId(), 'tag.create', body);
    return created(tag);
  },
});
