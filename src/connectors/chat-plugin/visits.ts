import { z } from 'zod';
import type { Json } from '#actors/representation.ts';
import { foreignId, jsonObject } from '#src/ingest/fields.ts';
import type { VisitReceiver } from '../connector.ts';

export const source = 'chatplugin';

const request = z.object({
  message: jsonObject.describe('For text `{text}`.'),
  source_message_id: foreignId.optional().describe('What the client calls it: the same again is the same Message.'),
});

/** What a visitor writes. The time is that of the hub: the visitor's clock may be anything. */
export const visits: VisitReceiver<z.output<typeof request>> = {
  request,
  example: { message: { text: 'Hello' }, source_message_id: 'm-1' },
  parse: ({ sourceChannelId, sourceConversationId }, { message, source_message_id: given }, id, now) => ({
    source,
    messages: [
      {
        id: given ?? id,
        conversation: sourceConversationId,
        channel: sourceChannelId,
        sender: sourceConversationId,
        content: message as Json,
        fromContact: true,
        sentAt: now,
      },
    ],
    metadata: [],
    receipts: [],
  }),
};
