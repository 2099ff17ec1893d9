import { z } from 'zod';
import type { ConversationCommands } from '#actors/conversation/contract.ts';
import type { Json, JsonObject } from '#actors/representation.ts';
import { Failure, type Problem } from '#actors/errors.ts';
import { channelId, conversationId, messageId } from '#actors/ids.ts';
import { type SourceCall, defineOperation, ok } from '../operation.ts';
import { foreignId, json, jsonObject } from '../schemas.ts';
import { applyMetadata } from './ingest-metadata.ts';

const mostMessages = 1_000;
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
  metadata: jsonObject,
});

type MessageItem = z.output<typeof messageItem>;

export const sourceWebhook = defineOperation({
  path: '/sources.webhook',
  summary: 'Push messages and metadata of the source; answered once they are durable.',
  auth: 'source',
  feature: 'source-api',
  request: z.object({
    messages: z.array(messageItem).max(mostMessages).optional(),
    metadata: z.array(metadataItem).max(mostMessages).optional(),
  }),
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
  responses: {
    200: z.object({
      messages: z.array(
        z.object({
          source_message_id: z.string(),
          id: z.string(),
          conversation_id: z.string(),
          duplicate: z.boolean(),
        }),
      ),
    }),
  },
  errors: ['feature_disabled'],
  async handle(call, { messages = [], metadata = [] }) {
    const stored = await ingest(call, messages);
    await applyMetadata(
      call,
      metadata.map((item) => ({
        namespace: item.namespace,
        sourceId: item.source_id,
        metadata: item.metadata as JsonObject,
      })),
    );
    return ok({ messages: stored });
  },
});

interface Batch {
  channel: string;
  sourceConversationId: string;
  items: { index: number; item: MessageItem }[];
}

/** What became of an item. */
type Ingested = ConversationCommands['messages.ingest']['result']['messages'][number];

/** One command for each conversation, side by side; the order of the items is kept within a conversation. */
async function ingest(call: SourceCall, messages: MessageItem[]): Promise<Ingested[]> {
  const {
    commands,
    caller: { sourceId },
  } = call;
  const answers = new Array<Ingested>(messages.length);
  await Promise.all(
    batches(call, messages).map(async ([id, { channel, sourceConversationId, items }]) => {
      const result = await commands.send('conversation', id, 'messages.ingest', {
        origin: { channelId: channel, source: sourceId, sourceConversationId },
        messages: items.map(({ item }) => ({
          id: messageId(id, sourceId, item.source_message_id),
          sourceMessageId: item.source_message_id,
          senderId: item.source_sender_id,
          content: item.content as Json,
          fromContact: item.from_contact,
          sentAt: item.sent_at,
        })),
      });
      for (const [n, { index }] of items.entries()) answers[index] = result.messages[n]!;
    }),
  );
  return answers;
}

/** @throws Failure `invalid_request` naming every item whose channel is not a connected one of the source */
function batches({ services, caller: { sourceId } }: SourceCall, messages: MessageItem[]): [string, Batch][] {
  const connected = new Map<string, boolean>();
  const found = new Map<string, Batch>();
  const details: Problem[] = [];
  for (const [index, item] of messages.entries()) {
    const channel = channelId(sourceId, item.source_channel_id);
    let usable = connected.get(channel);
    if (usable === undefined) {
      usable = services.store.channels.find(channel)?.connected === true;
      connected.set(channel, usable);
    }
    if (!usable) {
      details.push({
        path: `messages[${index}].source_channel_id`,
        problem: 'is not a connected channel of this source',
      });
      continue;
    }
    const id = conversationId(channel, item.source_conversation_id);
    const batch = found.get(id) ?? { channel, sourceConversationId: item.source_conversation_id, items: [] };
    batch.items.push({ index, item });
    found.set(id, batch);
  }
  if (details.length > 0) throw new Failure('invalid_request', 'Nothing was stored: see details.', { details });
  return [...found];
}
