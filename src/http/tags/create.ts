import { z } from 'zod';
import { created, defineOperation } from '../operation.ts';
import { tagColor, tagSchema, text } from '../schemas.ts';

export const createTag = defineOperation({
  path: '/tags.create',
  summary: 'Make a tag.',
  auth: 'core',
  request: z.object({ name: text.min(1), color: tagColor }),
  example: { name: 'Urgent', color: 'tag-red' },
  responses: { 201: tagSchema },
  errors: [],
  async handle({ commands, newId }, body) {
    const { tag } = await commands.send('tag', newId(), 'tag.create', body);
    return created(tag);
  },
});
