import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageQuery, pageSchema } from '../pagination.ts';

const list = 'sessions';

const sessionSchema = z
  .object({ id: z.string(), user_id: z.string(), started_at: z.string(), expires_at: z.string() })
  .meta({ id: 'Session' });

export const listSessions = defineRead({
  path: '/sessions.list',
  summary: 'List the logins that are not over, newest first.',
  auth: 'core',
  request: z.object(pageFields),
  example: {},
  responses: { 200: pageSchema(sessionSchema) },
  errors: ['invalid_cursor'],
  handle: ({ services }, page) =>
    ok(pageBody(list, services.store.sessions.page(pageQuery(list, page), services.clock.now()))),
});
