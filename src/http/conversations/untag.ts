import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const untagConversation = defineOperation({
  path: '/conversations.untag',
  summary: 'Take a tag off a conversation.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid, tag_id: uuid }),
  example: { conversation_id: exampleIds.conversation, tag_id: exampleIds.tag },
  responses: { 204: null },
  errors: ['not_found'],
  async handle({ commands }, { conversation_id, tag_id }) {
    await commands.send('conversation', conversation_id, 'conversation.untag', { tagId: tag_id });
    return empty(204);
  },
});
