import { z } from 'zod';
import type { Json, JsonObject } from '#actors/representation.ts';
import { foreignId, json, jsonObject, refuseOwnKeys } from '#src/ingest/fields.ts';
import type { PushReceiver } from '../connector.ts';

const mostItems = 1_000;
const earliest = 0;
/** The last instant that ISO 8601 writes with four digits of a year, in epoch ms. */
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const sentAt = z
  .union([z.number(), z.iso.datetime({ offset: true })])
  .transform((value) => (typeof value === 'number' ? Math.trunc(value) : Date.parse(value)))
  .pipe(z.number().min(earliest).max(latest))
  .meta({ oneOf: [{ type: 'number' }, { type: 'string', format: 'date-time' }], description: 'Epoch ms or ISO 8601.' });

const messageItem = z.object({
  source_message_id: foreignId,
  source_conversation_id: foreignId,
  source_channel_id: foreignId,
  source_sender_id: foreignId,
  content: json,
  from_contact: z.boolean(),
  sent_at: sentAt,
});

const metadataItem = z.object({
  namespace: z.enum(['conversation', 'message']),
  source_id: foreignId.describe('Id of the conversation or message at the source.'),
  metadata: jsonObject.superRefine(refuseOwnKeys),
});

const request = z.object({
  messages: z.array(messageItem).max(mostItems).optional(),
  metadata: z.array(metadataItem).max(mostItems).optional(),
});

/** What an application pushes. Receipts come as metadata of the message. */
export const push: PushReceiver<z.output<typeof request>> = {
  request,
  example: {
    messages: [
      {
        source_message_id: 'm-1',
        source_conversation_id: 'ann',
        source_channel_id: 'line-1',
        source_sender_id: 'ann',
        content: { text: 'Hello' },
        from_contact: true,
        sent_at: 1_767_225_600_000,
      },
    ],
    metadata: [{ namespace: 'conversation', source_id: 'ann', metadata: { contact: { display_name: 'Ann' } } }],
  },
  parse: (source, { messages = [], metadata = [] }) => ({
    source,
    messages: messages.map((item) => ({
      id: item.source_message_id,
      conversation: item.source_conversation_id,
      channel: item.source_channel_id,
      sender: item.source_sender_id,
      content: item.content as Json,
      fromContact: item.from_contact,
      sentAt: item.sent_at,
    })),
    metadata: metadata.map(({ namespace, source_id, metadata: said }) => ({
      namespace,
      sourceId: source_id,
      metadata: said as JsonObject,
    })),
    receipts: [],
  }),
};
