import { z } from 'zod';
import { parseFilter } from '../filters/grammar.ts';
import { defineOperation, ok } from '../operation.ts';
import { pageBody, pageFields, pageSchema, pageQuery } from '../pagination.ts';
import { conversationSchema } from '../schemas.ts';

const list = 'conversations';

export const listConversations = defineOperation({
  path: '/conversations.list',
  summary: 'List conversations, the one with the newest message first.',
  auth: 'core',
  reads: true,
  request: z.object({
    ...pageFields,
    filters: z.string().nullish().describe('Lucene syntax: field:value, AND OR NOT ( ), ranges, wildcards.'),
  }),
  example: { filters: 'unread_count:[1 TO *] AND source:my-crm', page_size: 20 },
  responses: { 200: pageSchema(conversationSchema) },
  errors: ['invalid_cursor', 'invalid_filter', 'query_too_slow'],
  async handle({ services }, { filters, ...page }) {
    const query = pageQuery(list, page);
    if (!filters) return ok(pageBody(list, services.store.conversations.page(query, null)));
    return ok(pageBody(list, await services.longReads.conversations(query, parseFilter(filters))));
  },
});
