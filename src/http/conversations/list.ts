import { z } from 'zod';
import { parseFilter } from '../filters/grammar.ts';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageFields, pageSchema, pageQuery } from '../pagination.ts';
import { conversationSchema } from '../schemas.ts';

const list = 'conversations';

export const listConversations = defineRead({
  path: '/conversations.list',
  summary: 'List conversations, the one with the newest message first.',
  auth: 'core',
  keys: 'bound',
  request: z.object({
    ...pageFields,
    filters: z
      .string()
      .optional()
      .describe(
        'Lucene syntax: field:value, AND OR NOT ( ), ranges, wildcards; words alone are looked for in display_name and text.',
      ),
  }),
  example: { filters: 'unread_count:[1 TO *] AND source:my-crm', page_size: 20 },
  responses: { 200: pageSchema(conversationSchema) },
  errors: ['invalid_cursor', 'invalid_filter', 'query_too_slow'],
  async handle({ longReads }, { filters, ...asked }) {
    const query = pageQuery(list, asked);
    return ok(pageBody(list, await longReads.conversations(query, parseFilter(filters ?? ''))));
  },
});
