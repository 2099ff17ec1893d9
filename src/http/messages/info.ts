import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { messageSchema, uuid } from '../schemas.ts';
import { existingMessage } from './own-message.ts';

export const infoMessage = defineRead({
  path: '/messages.info',
  summary: 'One message, also one whose conversation has not appeared.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ message_id: uuid }),
  example: { message_id: exampleIds.message },
  responses: { 200: messageSchema },
  errors: ['not_found'],
  handle({ services }, { message_id }) {
    return ok(existingMessage(services, message_id).message);
  },
});
