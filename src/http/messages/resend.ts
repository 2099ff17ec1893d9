import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { messageSchema, uuid } from '../schemas.ts';
import { existingMessage } from './own-message.ts';

export const resendMessage = defineOperation({
  path: '/messages.resend',
  summary: 'Try a failed message again.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ message_id: uuid }),
  example: { message_id: exampleIds.message },
  responses: { 200: messageSchema },
  showsMessage: true,
  errors: ['not_found', 'message_not_failed', 'conversation_erased'],
  async handle({ commands, services }, { message_id }) {
    const { conversationId } = existingMessage(services, message_id);
    const { message } = await commands.send('conversation', conversationId, 'message.resend', {
      messageId: message_id,
    });
    return ok(message);
  },
});
