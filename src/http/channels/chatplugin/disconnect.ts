import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { visitedSource } from '#src/connectors/registry.ts';
import { exampleIds } from '../../examples.ts';
import { defineOperation, empty } from '../../operation.ts';
import { uuid } from '../../schemas.ts';

export const disconnectChatpluginChannel = defineOperation({
  path: '/channels.chatplugin.disconnect',
  summary: 'Disconnect a channel for visitors; nobody can come to it until it is connected again.',
  auth: 'core',
  feature: 'chatplugin',
  request: z.object({ channel_id: uuid }),
  example: { channel_id: exampleIds.channel },
  responses: { 202: null },
  answers: { 202: { description: 'It is disconnected.' } },
  errors: ['feature_disabled', 'channel_unknown'],
  async handle({ commands, services }, { channel_id }) {
    if (services.store.channels.find(channel_id)?.source !== visitedSource) {
      throw new Failure('channel_unknown', `There is no channel ${channel_id} for visitors.`);
    }
    await commands.send('channel', channel_id, 'channel.disconnect', null);
    return empty(202);
  },
});
