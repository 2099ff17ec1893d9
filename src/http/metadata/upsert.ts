import { z } from 'zod';
import type { JsonObject } from '#actors/representation.ts';
import { jsonObject } from '#src/ingest/fields.ts';
import { exampleIds } from '../examples.ts';
import { existingMessage } from '../messages/own-message.ts';
import { defineOperation, empty } from '../operation.ts';
import { uuid } from '../schemas.ts';

export const upsertMetadata = defineOperation({
  path: '/metadata.upsert',
  summary: 'Merge data of your own into metadata.user_data; null removes a key.',
  auth: 'core',
  keys: 'bound',
  request: z.object({ subject: z.enum(['message', 'conversation', 'channel']), id: uuid, data: jsonObject }),
  example: { subject: 'conversation', id: exampleIds.conversation, data: { ticket: '4711' } },
  responses: { 204: null },
  errors: ['not_found', 'metadata_too_large'],
  async handle({ commands, services }, { subject, id, data }) {
    const body = { data: data as JsonObject };
    if (subject === 'channel') {
      await commands.send('channel', id, 'metadata.upsert', body);
    } else {
      const conversation = subject === 'message' ? existingMessage(services, id).conversationId : id;
      const messageId = subject === 'message' ? id : null;
      await commands.send('conversation', conversation, 'metadata.upsert', { ...body, messageId });
    }
    return empty(204);
  },
});
