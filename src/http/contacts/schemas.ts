import { z } from 'zod';
import { jsonObject } from '#src/ingest/fields.ts';

const contactSnapshotSchema = z
  .object({
    id: z.string(),
    display_name: z.string().optional(),
    avatar_url: z.string().optional(),
    title: z.string().optional(),
    timezone: z.string().optional(),
    gender: z.string().optional(),
    locale: z.string().optional(),
    organization_name: z.string().optional(),
    via: jsonObject.optional(),
    address: jsonObject.optional(),
    conversations: z.record(z.string(), z.string()).describe('Conversation to source.'),
    metadata: jsonObject.optional(),
    created_at: z.string().describe('ISO 8601 UTC with milliseconds.'),
  })
  .meta({ id: 'ContactSnapshot' });

export const contactSchema = contactSnapshotSchema
  .extend({
    merge_history: z
      .array(contactSnapshotSchema)
      .optional()
      .describe('Contacts that were merged into it, as they were, oldest first; of more than 1 MiB the newest.'),
  })
  .meta({ id: 'Contact' });

/** A contact as lists show it. */
export const listedContactSchema = contactSnapshotSchema
  .pick({ id: true, display_name: true, title: true, created_at: true })
  .meta({ id: 'ListedContact' });

/** What `contact.updated` tells: the contact as it is from then on, or that it is gone. */
export const contactPayload = contactSnapshotSchema
  .partial({ conversations: true, created_at: true })
  .extend({
    deleted: z.literal(true).optional().describe('It is gone: only its id is told.'),
    erased: z.literal(true).optional().describe('All that was known of the person is gone: erase it too.'),
    merged_into: z.string().optional().describe('It became part of this contact.'),
  })
  .meta({ id: 'ContactPayload' });
