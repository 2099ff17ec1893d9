import { z } from 'zod';
import { defineRead, ok } from '../../operation.ts';
import { largePageFields, largePageQuery, pageBody, pageSchema } from '../../pagination.ts';
import { channelSchema } from '../../schemas.ts';

const list = 'own-channels-by-age';

export const listSourceChannels = defineRead({
  path: '/sources.channels.list',
  summary: 'List the connected channels of the source, the oldest first.',
  auth: 'source',
  feature: 'source-api',
  request: z.object(largePageFields),
  example: {},
  responses: { 200: pageSchema(channelSchema) },
  errors: ['feature_disabled', 'invalid_cursor'],
  handle: ({ services, caller: { sourceId } }, asked) =>
    ok(pageBody(list, services.store.channels.ownPage(largePageQuery(list, asked), sourceId))),
});
