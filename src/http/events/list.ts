import { z } from 'zod';
import { type EventType, eventTypes } from '#actors/representation.ts';
import { exampleIds } from '../examples.ts';
import { defineOperation, ok } from '../operation.ts';
import { pageSize, pageSizeField } from '../pagination.ts';
import { eventSchema, uuid } from '../schemas.ts';

export const listEvents = defineOperation({
  path: '/events.list',
  summary: 'Read the feed: the events that WebSocket and webhooks carry, with the same cursors.',
  auth: 'core',
  reads: true,
  request: z.object({
    after: z.string().max(4_096).nullish().describe('Cursor of the last event seen; absent: from the oldest kept.'),
    types: z.array(z.enum(eventTypes)).optional(),
    conversation_id: uuid.optional(),
    page_size: pageSizeField,
  }),
  example: { types: ['message.created'], conversation_id: exampleIds.conversation, page_size: 100 },
  responses: {
    200: z.object({
      data: z.array(eventSchema),
      next_cursor: z.string().describe('Ask again with it as `after`, also when data is empty.'),
    }),
  },
  errors: ['invalid_cursor'],
  handle({ services }, { after, types, conversation_id, page_size }) {
    const from = after ? services.feed.decodeCursor(after) : [];
    const entries = services.feed.read({
      after: from,
      limit: pageSize(page_size),
      ...(types && { types: types as EventType[] }),
      ...(conversation_id && { conversationId: conversation_id }),
    });
    const next = entries.at(-1)?.event.cursor ?? after ?? services.feed.encodeCursor(services.feed.end().map(() => 0));
    return ok({ data: entries.map(({ event }) => event), next_cursor: next });
  },
});
