import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { channelSchema, text, url, uuid } from '../schemas.ts';

export const updateChannel = defineOperation({
  path: '/channels.update',
  summary: 'Change the name or the image of a channel; null clears the image.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ channel_id: uuid, name: text.min(1).optional(), image_url: url.nullish() }),
  example: { channel_id: exampleIds.channel, name: 'Support' },
  responses: { 200: channelSchema },
  errors: ['not_found', 'metadata_too_large'],
  async handle({ commands }, { channel_id, name, image_url }) {
    const { channel } = await commands.send('channel', channel_id, 'channel.update', {
      ...(name !== undefined && { name }),
      ...(image_url !== undefined && { imageUrl: image_url }),
    });
    return ok(channel);
  },
});
