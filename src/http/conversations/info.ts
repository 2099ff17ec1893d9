import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { conversationSchema, uuid } from '../schemas.ts';

export const infoConversation = defineRead({
  path: '/conversations.info',
  summary: 'One conversation.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid }),
  example: { conversation_id: exampleIds.conversation },
  responses: { 200: conversationSchema },
  errors: ['not_found'],
  handle({ services }, { conversation_id }) {
    const conversation = services.store.conversations.find(conversation_id);
    if (conversation === null) throw new Failure('not_found', `There is no conversation ${conversation_id}.`);
    return ok(conversation);
  },
});
