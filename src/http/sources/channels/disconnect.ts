import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../../examples.ts';
import { defineOperation, empty } from '../../operation.ts';
import { uuid } from '../../schemas.ts';

export const disconnectSourceChannel = defineOperation({
  path: '/sources.channels.disconnect',
  summary: 'Disconnect a channel of the source; its token is deleted.',
  auth: 'source',
  feature: 'source-api',
  request: z.object({ channel_id: uuid }),
  example: { channel_id: exampleIds.channel },
  responses: { 204: null },
  errors: ['feature_disabled'],
  async handle({ commands, services, caller: { sourceId } }, { channel_id }) {
    // Whether the channel of another source exists is none of this one's business.
    if (services.store.channels.find(channel_id)?.source_id !== sourceId) {
      throw new Failure('forbidden', `The source has no channel ${channel_id}.`);
    }
    await commands.send('channel', channel_id, 'channel.disconnect', null);
    return empty(204);
  },
});
