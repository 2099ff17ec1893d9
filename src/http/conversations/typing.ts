import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const typingConversation = defineOperation({
  path: '/conversations.typing',
  summary: 'Show the contact that an agent types, for 10 seconds or until told otherwise, where the source can.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ conversation_id: uuid, typing: z.boolean().optional().describe('Absent: true.') }),
  example: { conversation_id: exampleIds.conversation, typing: true },
  responses: { 204: null },
  errors: ['not_found'],
  handle({ services }, { conversation_id, typing = true }) {
    if (services.store.conversations.find(conversation_id) === null) {
      throw new Failure('not_found', `There is no conversation ${conversation_id}.`);
    }
    services.typing.tell(conversation_id, typing);
    return empty(204);
  },
});
