import { z } from 'zod';
import { foreignId } from '#src/ingest/fields.ts';
import { defineRead, ok } from '../operation.ts';
import { largePageFields, largePageQuery, pageBody, pageSchema } from '../pagination.ts';
import { channelSchema } from '../schemas.ts';

const list = 'channels-by-age';

export const listChannels = defineRead({
  path: '/channels.list',
  summary: 'List the connected channels, the oldest first.',
  auth: 'core',
  keys: 'bound',
  request: z.object({
    ...largePageFields,
    source: foreignId.optional(),
    include_disconnected: z.boolean().optional(),
  }),
  example: { source: 'my-crm' },
  responses: { 200: pageSchema(channelSchema) },
  errors: ['invalid_cursor'],
  handle({ services }, { source, include_disconnected, ...asked }) {
    const filter = { ...(source !== undefined && { source }), includeDisconnected: include_disconnected === true };
    return ok(pageBody(list, services.store.channels.page(largePageQuery(list, asked), filter)));
  },
});
