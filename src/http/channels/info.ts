import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { channelSchema, uuid } from '../schemas.ts';

export const infoChannel = defineRead({
  path: '/channels.info',
  summary: 'One channel.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ channel_id: uuid }),
  example: { channel_id: exampleIds.channel },
  responses: { 200: channelSchema },
  errors: ['not_found'],
  handle({ services }, { channel_id }) {
    const channel = services.store.channels.find(channel_id);
    if (channel === null) throw new Failure('not_found', `There is no channel ${channel_id}.`);
    return ok(channel);
  },
});
