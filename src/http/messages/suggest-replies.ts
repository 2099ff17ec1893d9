import { z } from 'zod';
import type { JsonObject } from '#actors/representation.ts';
import { json, recordOf } from '#src/ingest/fields.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { messageSchema, text, uuid } from '../schemas.ts';
import { existingMessage } from './own-message.ts';

export const suggestReplies = defineOperation({
  path: '/messages.suggest-replies',
  aliases: ['/messages.suggestReplies'],
  summary: 'Keep suggested replies with a message; they replace earlier ones.',
  auth: 'core',
  keys: 'bound',
  request: z.object({
    message_id: uuid,
    suggestions: recordOf(text.min(1), z.looseObject({ content: json })),
  }),
  example: { message_id: exampleIds.message, suggestions: { hours: { content: { text: 'We are open until 6.' } } } },
  responses: { 200: messageSchema },
  showsMessage: true,
  errors: ['not_found', 'conversation_erased', 'metadata_too_large'],
  async handle({ commands, services }, { message_id, suggestions }) {
    const { conversationId } = existingMessage(services, message_id);
    const { message } = await commands.send('conversation', conversationId, 'message.suggest-replies', {
      messageId: message_id,
      suggestions: suggestions as JsonObject,
    });
    return ok(message);
  },
});
