import { z } from 'zod';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageSchema, pageQuery } from '../pagination.ts';

const list = 'dead-letters';

const deadLetter = z
  .object({
    command_id: z.string(),
    actor: z.object({ kind: z.string(), id: z.string(), revision: z.int() }),
    type: z.string(),
    body: z.unknown(),
    error: z.string(),
    at: z.string(),
    redriven_at: z.string().nullable(),
  })
  .meta({ id: 'DeadLetter' });

export const listDeadLetters = defineRead({
  path: '/dead-letters.list',
  summary: 'List the commands that a defect of the hub kept from being handled, newest first.',
  auth: 'core',
  request: z.object({ ...pageFields, redriven: z.boolean().optional() }),
  example: { redriven: false },
  responses: { 200: pageSchema(deadLetter) },
  errors: ['invalid_cursor', 'query_too_slow'],
  async handle({ longReads }, { redriven, ...page }) {
    const filter = redriven === undefined ? {} : { redriven };
    return ok(pageBody(list, await longReads.deadLetters(pageQuery(list, page), filter)));
  },
});
