import { z } from 'zod';

const maxMessages = 1_000;

/** The body of `/sources.webhook`: the same rules as the hub's (docs/api.md, "Source API"). */
export const ingestBody = z.object({
  messages: z
    .array(
      z.object({
        source_message_id: z.string().min(1),
        source_conversation_id: z.string().min(1),
        source_channel_id: z.string().min(1),
        source_sender_id: z.string().min(1),
        content: z.json(),
        from_contact: z.boolean(),
        sent_at: z.union([z.number(), z.iso.datetime({ offset: true })]),
      }),
    )
    .max(maxMessages)
    .default([]),
  metadata: z
    .array(
      z.object({
        namespace: z.enum(['conversation', 'message']),
        source_id: z.string().min(1),
        metadata: z.record(z.string(), z.json()),
      }),
    )
    .max(maxMessages)
    .default([]),
});

export type IngestBody = z.infer<typeof ingestBody>;
export type IngestItem = IngestBody['messages'][number];

/** What the answer says of each message. */
export interface IngestResult {
  source_message_id: string;
  id: string;
  conversation_id: string;
  duplicate: boolean;
}
