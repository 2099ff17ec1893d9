import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageQuery, pageSchema } from '../pagination.ts';

const list = 'users';

const userSchema = z
  .object({
    id: z.string().describe('`<provider>:<user id>`: the sender of the messages they send.'),
    first_seen_at: z.string(),
    last_seen_at: z.string().describe('Right to a minute.'),
    name: z.string().optional(),
    avatar_url: z.string().optional(),
  })
  .meta({ id: 'User' });

export const listUsers = defineRead({
  path: '/users.list',
  summary: 'List the people who have logged in, last seen first.',
  auth: 'core',
  request: z.object(pageFields),
  example: { page_size: 50 },
  responses: { 200: pageSchema(userSchema) },
  errors: ['invalid_cursor'],
  handle: ({ services }, page) => ok(pageBody(list, services.store.users.page(pageQuery(list, page)))),
});
