import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const updateConversationContact = defineOperation({
  path: '/conversations.update-contact',
  aliases: ['/conversations.updateContact'],
  summary: 'Give the contact of a conversation another name.',
  auth: 'core',
  keys: 'bound',
  request: z.object({
    conversation_id: uuid,
    display_name: z.string().max(255).describe('Empty: the name that the source gives, again.'),
  }),
  example: { conversation_id: exampleIds.conversation, display_name: 'Ann' },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { conversation_id, display_name }) {
    await commands.send('conversation', conversation_id, 'conversation.update-contact', { displayName: display_name });
    return empty(204);
  },
});
