import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const revokeKey = defineOperation({
  path: '/keys.revoke',
  summary: 'Revoke an API key: it opens nothing from now on.',
  auth: 'core',
  keys: 'none',
  request: z.object({ id: uuid }),
  example: { id: exampleIds.apiKey },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { id }) {
    await commands.send('api-key', id, 'api-key.revoke', null);
    return empty(204);
  },
});
