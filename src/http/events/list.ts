import { z } from 'zod';
import { type EventType, eventTypes } from '#actors/representation.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { pageSize, pageSizeField } from '../pagination.ts';
import { uuid } from '../schemas.ts';
import { eventSchema } from './schemas.ts';

export const listEvents = defineRead({
  path: '/events.list',
  summary: 'Read the feed: the events that WebSocket and webhooks carry, with the same cursors.',
  auth: 'core',
  keys: 'bound',
  request: z.object({
    after: z.string().optional().describe('Cursor of the last event seen; absent: from the oldest kept.'),
    types: z.array(z.enum(eventTypes)).min(1).optional().describe('Absent: all.'),
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
  errors: ['invalid_cursor', 'cursor_expired'],
  handle({ services }, { after, types, conversation_id, page_size }) {
    const { feed } = services;
    const from = after ? feed.decodeCursor(after) : [];
    const { entries, position } = feed.read({
      after: from,
      limit: pageSize(page_size),
      ...(types && { types: types as EventType[] }),
      ...(conversation_id && { conversationId: conversation_id }),
    });
    return ok({
      data: entries.map(({ event }) => event as z.output<typeof eventSchema>),
      next_cursor: feed.encodeCursor(position),
    });
  },
});
