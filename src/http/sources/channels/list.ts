import { z } from 'zod';
import { defineRead, ok } from '../../operation.ts';
import { channelSchema } from '../../schemas.ts';
import { withToken } from './own-channel.ts';

export const listSourceChannels = defineRead({
  path: '/sources.channels.list',
  summary: 'List the connected channels of the source.',
  auth: 'source',
  feature: 'source-api',
  request: z.object({}),
  example: {},
  responses: { 200: z.object({ data: z.array(channelSchema) }).describe('All of them.') },
  errors: ['feature_disabled'],
  handle: ({ services, caller: { sourceId } }) =>
    ok({ data: services.store.channels.list({ sourceId }).map((channel) => withToken(services, channel)) }),
});
