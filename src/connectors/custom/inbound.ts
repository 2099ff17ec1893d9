import { z } from 'zod';
import type { Json, JsonObject } from '#actors/representation.ts';
import { foreignId, json, jsonObject, refuseOwnKeys, instant } from '#src/ingest/fields.ts';
import type { PushReceiver } from '../connector.ts';

const mostItems = 1_000;
const messageItem = z.object({
  source_message_id: foreignId,
  source_conversation_id: foreignId,
  source_channel_id: foreignId,
  source_sender_id: foreignId,
  content: json,
  from_contact: z.boolean(),
  sent_at: instant,
});

const metadataItem = z
  .object({
    namespace: z.enum(['conversation', 'message']),
    source_id: foreignId.describe('Id of the conversation or message at the source.'),
    source_channel_id: foreignId.optional().describe('Where it is; needed where source_id fits several.'),
    source_conversation_id: foreignId.optional().describe('Of a message: where it is.'),
    metadata: jsonObject.superRefine(refuseOwnKeys),
  })
  .superRefine((item, context) => {
    const problem = problemOfName(item);
    if (problem !== null) context.addIssue({ code: 'custom', path: ['source_conversation_id'], message: problem });
  });

/** Why the name of a target makes no sense; null: it does. */
function problemOfName(item: Record<'namespace' | 'source_id', string> & NamedPlace): string | null {
  const { namespace, source_id, source_channel_id: channel, source_conversation_id: conversation } = item;
  if (namespace === 'message') return channel && !conversation ? 'is needed beside source_channel_id' : null;
  return conversation && conversation !== source_id ? 'must be source_id, the conversation itself' : null;
}

interface NamedPlace {
  source_channel_id?: string | undefined;
  source_conversation_id?: string | undefined;
}

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
    metadata: metadata.map(({ namespace, source_id, source_channel_id, source_conversation_id, metadata: said }) => ({
      namespace,
      sourceId: source_id,
      ...(source_channel_id && { channel: source_channel_id }),
      ...(namespace === 'message' && source_conversation_id && { conversation: source_conversation_id }),
      metadata: said as JsonObject,
    })),
    receipts: [],
  }),
};
