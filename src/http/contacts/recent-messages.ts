import { z } from 'zod';
import type { RecentMessages } from '#actors/contact/recent-reader.ts';
import { Failure } from '#actors/errors.ts';
import { JsonText } from '#actors/json.ts';
import { foreignId } from '#src/ingest/fields.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { pageBody, pageQuery, pageSchema, pageSize, pageSizeField } from '../pagination.ts';
import { messageSchema, uuid } from '../schemas.ts';

const recent = z.record(z.string(), pageSchema(messageSchema).extend({ source: z.string() }));

/** The list that `messages.list` gives with `order: "desc"`: cursors of the one are good for the other. */
const listOf = (conversation: string): string => `messages.desc.${conversation}`;

export const recentContactMessages = defineRead({
  path: '/contacts.recent-messages',
  summary: 'The newest messages of each conversation of a contact, newest first.',
  auth: 'core',
  feature: 'contacts',
  request: z.object({
    contact_id: uuid,
    include_sources: z.array(foreignId).max(100).optional().describe('Only conversations of one of these sources.'),
    page_size: pageSizeField.describe('Of each conversation: 1 to 1,000; 20 when absent.'),
    cursors: z
      .record(uuid, z.string().nullable())
      .optional()
      .describe('Conversation to a cursor of its messages: it goes on there, the others begin with the newest.'),
  }),
  example: { contact_id: exampleIds.contact, include_sources: ['my-crm'], page_size: 5 },
  responses: { 200: recent.describe('Conversation to a page of its messages; 1 MiB of messages together.') },
  errors: ['feature_disabled', 'not_found', 'invalid_cursor', 'query_too_slow'],
  async handle({ longReads }, { contact_id, include_sources = null, page_size, cursors = {} }) {
    const queries = Object.entries(cursors).map(([conversation, cursor]) => [
      conversation,
      pageQuery(listOf(conversation), { cursor, page_size }),
    ]);
    const asked = { limit: pageSize(page_size), sources: include_sources, queries: Object.fromEntries(queries) };
    const found = await longReads.recentMessages(contact_id, asked);
    if (found === null) throw new Failure('not_found', `There is no contact ${contact_id}.`);
    return ok(new JsonText<z.output<typeof recent>>(`{${found.map(entryOf).join(',')}}`));
  },
});

const entryOf = ({ conversation, source, page }: RecentMessages): string =>
  `"${conversation}":{"source":${JSON.stringify(source)},${pageBody(listOf(conversation), page).text.slice(1)}`;
