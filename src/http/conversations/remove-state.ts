import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const removeConversationState = defineOperation({
  path: '/conversations.remove-state',
  aliases: ['/conversations.removeState'],
  summary: 'Remove the mark of open or closed.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid }),
  example: { conversation_id: exampleIds.conversation },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { conversation_id }) {
    await commands.send('conversation', conversation_id, 'conversation.remove-state', null);
    return empty(204);
  },
});
