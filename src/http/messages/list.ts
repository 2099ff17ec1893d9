import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageSchema, pageQuery } from '../pagination.ts';
import { messageSchema, uuid } from '../schemas.ts';

export const listMessages = defineRead({
  path: '/messages.list',
  summary: 'List the messages of a conversation, oldest first.',
  auth: 'core',
  keys: 'bound',
  request: z.object({
    conversation_id: uuid,
    ...pageFields,
    order: z.enum(['asc', 'desc']).optional().describe('desc: newest first.'),
  }),
  example: { conversation_id: exampleIds.conversation, page_size: 50 },
  responses: { 200: pageSchema(messageSchema) },
  errors: ['invalid_cursor', 'not_found'],
  handle({ services }, { conversation_id, order = 'asc', ...page }) {
    const list = `messages.${order}.${conversation_id}`;
    const query = pageQuery(list, page);
    const found = services.store.messages.page(conversation_id, query, order);
    if (found.total === 0 && services.store.conversations.find(conversation_id) === null) {
      throw new Failure('not_found', `There is no conversation ${conversation_id}.`);
    }
    return ok(pageBody(list, found));
  },
});
