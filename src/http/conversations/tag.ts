import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const tagConversation = defineOperation({
  path: '/conversations.tag',
  summary: 'Put a tag on a conversation.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid, tag_id: uuid }),
  example: { conversation_id: exampleIds.conversation, tag_id: exampleIds.tag },
  responses: { 204: null },
  errors: ['not_found', 'metadata_too_large'],
  async handle({ commands }, { conversation_id, tag_id }) {
    await commands.send('conversation', conversation_id, 'conversation.tag', { tagId: tag_id });
    return empty(204);
  },
});
