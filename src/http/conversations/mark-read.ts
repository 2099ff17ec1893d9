import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const markConversationRead = defineOperation({
  path: '/conversations.mark-read',
  aliases: ['/conversations.markRead'],
  summary: 'Mark everything in a conversation as read.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid }),
  example: { conversation_id: exampleIds.conversation },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { conversation_id }) {
    await commands.send('conversation', conversation_id, 'conversation.mark-read', null);
    return empty(204);
  },
});
