import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const endSession = defineOperation({
  path: '/sessions.end',
  summary: 'End a login: its cookie opens nothing from now on.',
  auth: 'core',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.session },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { id }) {
    await commands.send('user-session', id, 'session.end', null);
    return empty(204);
  },
});
