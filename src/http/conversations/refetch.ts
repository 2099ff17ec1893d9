import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const refetchConversation = defineOperation({
  path: '/conversations.refetch',
  summary: "Ask the source again who the contact is; the answer comes as a change of the conversation's metadata.",
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid }),
  example: { conversation_id: exampleIds.conversation },
  responses: { 202: null },
  answers: { 202: { description: 'It is asked. A source that can not be asked says nothing.' } },
  errors: ['not_found'],
  async handle({ commands }, { conversation_id }) {
    await commands.send('conversation', conversation_id, 'conversation.refetch', null);
    return empty(202);
  },
});
