import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const setConversationState = defineOperation({
  path: '/conversations.set-state',
  aliases: ['/conversations.setState'],
  summary: 'Mark a conversation as open or closed.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid, state: z.enum(['OPEN', 'CLOSED']) }),
  example: { conversation_id: exampleIds.conversation, state: 'CLOSED' },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { conversation_id, state }) {
    await commands.send('conversation', conversation_id, 'conversation.set-state', { state });
    return empty(204);
  },
});
