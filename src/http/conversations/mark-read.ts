import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const markConversationRead = defineOperation({
  path: '/conversations.mark-read',
  aliases: ['/conversations.markRead'],
  summary: 'Mark everything in a conversation as read; where the source can show it, the contact sees it.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid }),
  example: { conversation_id: exampleIds.conversation },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands, services: { connectors, store } }, { conversation_id }) {
    const channel = store.conversations.find(conversation_id)?.channel;
    const canTell = channel?.connected === true && connectors.of(channel)?.readMarker !== undefined;
    const body = canTell ? { tellSource: true as const } : null;
    await commands.send('conversation', conversation_id, 'conversation.mark-read', body);
    return empty(204);
  },
});
