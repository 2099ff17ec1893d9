import { z } from 'zod';
import { jsonObject } from '#src/ingest/fields.ts';

export const contactSchema = z
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
  .meta({ id: 'Contact' });

/** A contact as lists show it. */
export const listedContactSchema = contactSchema
  .pick({ id: true, display_name: true, title: true, created_at: true })
  .meta({ id: 'ListedContact' });

/** What `contact.updated` tells: the contact as it is from then on, or that it is gone. */
export const contactPayload = contactSchema
  .partial({ conversations: true, created_at: true })
  .extend({ deleted: z.literal(true).optional().describe('It is gone: only its id is told.') })
  .meta({ id: 'ContactPayload' });
