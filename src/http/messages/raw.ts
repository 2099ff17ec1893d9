import { z } from 'zod';
import { isoTime } from '#actors/representation.ts';
import { messageSubject, sourceSubject } from '#src/ingest/raw-subjects.ts';
import { exampleIds } from '../examples.ts';
import { defineRead, ok } from '../operation.ts';
import { uuid } from '../schemas.ts';
import { existingMessage } from './own-message.ts';

export const rawMessage = defineRead({
  path: '/messages.raw',
  summary: 'What a platform sent about a message, as it came: kept for `retention.raw`.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ message_id: uuid }),
  example: { message_id: exampleIds.message },
  responses: {
    200: z.object({
      data: z.array(
        z.object({
          received_at: z.string().describe('ISO 8601 UTC with milliseconds.'),
          path: z.string().describe('The address at which it came.'),
          body: z.string().describe('One update, in the shape in which the platform sends it alone.'),
        }),
      ),
    }),
  },
  answers: { 200: { description: 'The newest hundred, oldest first; none of messages that no platform spoke of.' } },
  errors: ['not_found'],
  handle({ services }, { message_id }) {
    const { message } = existingMessage(services, message_id);
    const { raw, store } = services;
    const named = store.messages.sourceIdOf(message_id);
    const subjects = [messageSubject(message.id), ...(named === null ? [] : [sourceSubject(message.source, named)])];
    const data = raw.about(subjects).map(({ at, route, body }) => ({ received_at: isoTime(at), path: route, body }));
    return ok({ data });
  },
});
