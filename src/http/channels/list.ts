import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { defineRead, ok } from '../operation.ts';
import { channelSchema } from '../schemas.ts';

export const listChannels = defineRead({
  path: '/channels.list',
  summary: 'List the connected channels.',
  auth: 'core',
  keys: 'bound',
  request: z.object({
    source: foreignId.optional(),
    include_disconnected: z.boolean().optional(),
  }),
  example: { source: 'my-crm' },
  responses: { 200: z.object({ data: z.array(channelSchema) }).describe('All of them.') },
  errors: [],
  handle: ({ services }, { source, include_disconnected }) =>
    ok({
      data: services.store.channels.list({
        ...(source !== undefined && { source }),
        includeDisconnected: include_disconnected === true,
      }),
    }),
});
